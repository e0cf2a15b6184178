extension Bool: SettingValue {
  public static var form: SettingForm { SettingForm("true or false", schema: ["type": "boolean"]) }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .boolean(let value) = node.value else { throw .expected(Self.form, at: node) }
    self = value
  }

  public var written: TOMLValue? { .boolean(self) }
}

extension Int: SettingValue {
  public static var form: SettingForm { SettingForm("an integer", schema: ["type": "integer"]) }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .integer(let value) = node.value else { throw .expected(Self.form, at: node) }
    self = value
  }

  public var written: TOMLValue? { .integer(self) }
}

extension Double: SettingValue {
  public static var form: SettingForm { SettingForm("a number", schema: ["type": "number"]) }

  /// Reads a float or an integer.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    switch node.value {
    case .float(let value): self = value
    case .integer(let value): self = Double(value)
    default: throw .expected(Self.form, at: node)
    }
  }

  public var written: TOMLValue? { .float(self) }
}

extension String: TextSettingValue {
  public static var form: SettingForm { SettingForm("a string", schema: ["type": "string"]) }

  public init?(text: String) { self = text }

  public var text: String { self }
}
