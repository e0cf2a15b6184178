/// Org's variables by their names, such as `org-log-done`, with Org's defaults.
///
/// Settings of a file (`#+STARTUP`, `#+TODO`, …) and of entries (`LOGGING`, `LOG_INTO_DRAWER`, …) are applied by the verbs.
public struct OrgSettings: Sendable, Hashable {
  private var values: [String: OrgValue]

  /// The defaults, with other values for some variables.
  public init(_ values: [String: OrgValue] = [:]) {
    self.values = values
  }

  /// The value of a variable; nil if it is not set here, so that Org's default holds.
  public subscript(name: String) -> OrgValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The names of the variables that are set.
  public var names: [String] { values.keys.sorted() }

  /// Returns the value of a variable, or the default.
  public func value(_ name: String, default: OrgValue = .none) -> OrgValue { values[name] ?? `default` }

  /// Returns true if a variable is not `nil`.
  public func isOn(_ name: String, default: Bool = false) -> Bool { values[name]?.isTrue ?? `default` }

  /// Returns the number in a variable.
  public func number(_ name: String, default: Int) -> Int { values[name]?.number ?? `default` }

  /// Returns the string in a variable.
  public func text(_ name: String, default: String) -> String { values[name]?.text ?? `default` }
}

extension OrgSettings: Decodable {
  /// Decodes an object of variables by name; see ``OrgValue`` for their values.
  public init(from decoder: any Decoder) throws {
    values = try decoder.singleValueContainer().decode([String: OrgValue].self)
  }
}

extension OrgSettings: ExpressibleByDictionaryLiteral {
  /// Variables by name.
  public init(dictionaryLiteral elements: (String, OrgValue)...) {
    values = Dictionary(elements) { $1 }
  }
}
