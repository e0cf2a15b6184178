/// A type of settings. Conform to it to add one of your own.
///
/// A type that a settings file has as a string conforms to ``TextSettingValue`` instead, which needs less. A `CaseIterable`
/// enum of strings needs only the conformance.
public protocol SettingValue: Sendable {
  /// How the value is written, for people and editors.
  static var form: SettingForm { get }

  /// The value of a setting that is not in the file and has no default. Nil, the default, makes such a setting required.
  static var whenAbsent: Self? { get }

  /// Reads a value. Throws every mistake with its location, and without quoting what may be secret.
  init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError)

  /// The value as a settings file has it, so that reading it returns the same value; nil if nothing is written.
  var written: TOMLValue? { get }
}

extension SettingValue {
  /// A setting of this type is required if it has no default.
  public static var whenAbsent: Self? { nil }
}

extension SettingsError {
  /// Returns the mistake that a value does not have this form.
  public static func expected(_ form: SettingForm, at node: TOMLNode) -> SettingsError {
    SettingsError("expected \(form.name), not \(node.value.kind)", at: node.location)
  }
}

/// How values of a type are written, for people, JSON Schema and forms.
public struct SettingForm: Sendable, Hashable {
  /// A noun with its article, such as `a string` or `a duration such as "5m"`.
  public var name: String
  /// The JSON Schema of such a value.
  public var schema: JSON
  /// All allowed texts, if they can be listed.
  public var choices: [String]
  /// True if the value is never shown.
  public var isSecret: Bool

  /// Creates a form.
  public init(_ name: String, schema: JSON, choices: [String] = [], isSecret: Bool = false) {
    self.name = name
    self.schema = schema
    self.choices = choices
    self.isSecret = isSecret
  }
}

extension SettingForm {
  /// One of `choices`, written as a string.
  public static func one(of choices: [String]) -> SettingForm {
    let quoted = choices.map { TOMLValue.string($0).text }
    return SettingForm(
      quoted.count == 1 ? quoted[0] : "one of " + quoted.joined(separator: ", "),
      schema: ["type": "string", "enum": .array(choices.map(JSON.string))], choices: choices)
  }
}

/// A type of settings that a settings file has as a string in a certain form, such as `"5m"`.
public protocol TextSettingValue: SettingValue {
  /// Parses `text`; nil if it does not have the form.
  init?(text: String)

  /// The text that `init(text:)` parses as this value.
  var text: String { get }
}

extension TextSettingValue {
  /// Reads a string.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard let value = Self(text: text) else {
      throw SettingsError("expected \(Self.form.name)", at: node.location)
    }
    self = value
  }

  /// The text as a string.
  public var written: TOMLValue? { .string(text) }
}
