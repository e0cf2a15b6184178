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

  /// Accepts any text.
  public init?(text: String) { self = text }

  /// The string itself.
  public var text: String { self }
}

extension Optional: SettingValue where Wrapped: SettingValue {
  /// The form of the value.
  public static var form: SettingForm { Wrapped.form }

  /// Nil, so an optional setting is never required.
  public static var whenAbsent: Self? { .some(.none) }

  /// Reads a value; a missing setting is nil.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    self = try Wrapped(node, in: environment)
  }

  /// The value as a settings file has it; nil if there is none.
  public var written: TOMLValue? { flatMap(\.written) }
}

extension Array: SettingValue where Element: SettingValue {
  /// A list of such elements; secret if they are.
  public static var form: SettingForm {
    SettingForm(
      "a list, each \(Element.form.name)",
      schema: ["type": "array", "items": Element.form.schema], isSecret: Element.form.isSecret)
  }

  /// Reads all elements, or throws the mistakes of all of them.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .array(let nodes) = node.value else { throw .expected(Self.form, at: node) }
    var elements: [Element] = []
    var mistakes: [Diagnostic] = []
    for node in nodes {
      do throws(SettingsError) {
        elements.append(try Element(node, in: environment))
      } catch {
        mistakes += error.diagnostics
      }
    }
    guard mistakes.isEmpty else { throw SettingsError(mistakes) }
    self = elements
  }

  /// The elements as a settings file has them.
  public var written: TOMLValue? {
    .array(compactMap(\.written).map { TOMLNode($0, at: TextLocation(file: "")) })
  }
}

extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// One of the raw values.
  public static var form: SettingForm { .one(of: allCases.map(\.rawValue)) }

  /// Reads one of the raw values; the error for another text suggests the nearest one.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard let value = Self(rawValue: text) else {
      throw SettingsError(
        "expected \(Self.form.name)", at: node.location, suggestion: Self.form.choices.nearest(to: text))
    }
    self = value
  }

  /// The raw value.
  public var written: TOMLValue? { .string(rawValue) }
}
