/// How a type of setting is written: what people, JSON Schema and forms are told about it.
public struct SettingForm: Sendable, Hashable {
  /// A noun with its article, such as `a string` or `a duration such as "5m"`.
  public var name: String
  /// What JSON Schema says of such a value.
  public var schema: JSON
  /// All texts that are allowed, if they can be listed.
  public var choices: [String]
  /// Whether the value must never be shown.
  public var isSecret: Bool

  /// A form of its own.
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
