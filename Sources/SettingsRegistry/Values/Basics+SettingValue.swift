extension Bool: SettingValue {
  /// `true` or `false`.
  public static var form: SettingForm { SettingForm("true or false", schema: ["type": "boolean"]) }

  /// Reads a boolean.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .boolean(let value) = node.value else { throw .expected(Self.form, at: node) }
    self = value
  }

  /// A boolean.
  public var written: TOMLValue? { .boolean(self) }
}

extension Int: SettingValue {
  /// An integer of 64 bits.
  public static var form: SettingForm { SettingForm("an integer", schema: ["type": "integer"]) }

  /// Reads an integer.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .integer(let value) = node.value else { throw .expected(Self.form, at: node) }
    self = value
  }

  /// An integer.
  public var written: TOMLValue? { .integer(self) }
}

extension Double: SettingValue {
  /// A float or an integer.
  public static var form: SettingForm { SettingForm("a number", schema: ["type": "number"]) }

  /// Reads a float or an integer.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    switch node.value {
    case .float(let value): self = value
    case .integer(let value): self = Double(value)
    default: throw .expected(Self.form, at: node)
    }
  }

  /// A float.
  public var written: TOMLValue? { .float(self) }
}

extension String: TextSettingValue {
  /// Any text.
  public static var form: SettingForm { SettingForm("a string", schema: ["type": "string"]) }

  /// Takes any text.
  public init?(text: String) { self = text }

  /// The string itself.
  public var text: String { self }
}
