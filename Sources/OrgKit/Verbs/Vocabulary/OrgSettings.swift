/// Org's variables by their names, such as `org-log-done`, with Org's defaults.
///
/// Settings of a file (`#+STARTUP`, `#+TODO`, …) and of entries (`LOGGING`, `LOG_INTO_DRAWER`, …) are applied by the verbs.
public struct OrgSettings: Sendable, Hashable {
  private let values: [String: OrgValue]
  /// A bit for each length of a name that is set: few variables are, and an agenda asks for many.
  private let lengths: UInt64

  /// The defaults, with other values for some variables.
  public init(_ values: [String: OrgValue] = [:]) {
    self.values = values
    lengths = values.keys.reduce(0) { $0 | Self.bit(of: $1) }
  }

  private static func bit(of name: String) -> UInt64 { 1 << UInt64(name.utf8.count & 63) }

  /// The value of a variable; nil if it is not set here, so that Org's default holds.
  public subscript(name: String) -> OrgValue? {
    get { lengths & Self.bit(of: name) == 0 ? nil : values[name] }
    set {
      var changed = values
      changed[name] = newValue
      self = OrgSettings(changed)
    }
  }

  /// The names of the variables that are set.
  public var names: [String] { values.keys.sorted() }

  /// Returns the value of a variable, or the default.
  public func value(_ name: String, default: OrgValue = .none) -> OrgValue { self[name] ?? `default` }

  /// Returns true if a variable is not `nil`.
  public func isOn(_ name: String, default: Bool = false) -> Bool { self[name]?.isTrue ?? `default` }

  /// Returns the number in a variable.
  public func number(_ name: String, default: Int) -> Int { self[name]?.number ?? `default` }

  /// Returns the string in a variable.
  public func text(_ name: String, default: String) -> String { self[name]?.text ?? `default` }
}

extension OrgSettings: Decodable {
  /// Decodes an object of variables by name; see ``OrgValue`` for their values.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([String: OrgValue].self))
  }
}

extension OrgSettings: ExpressibleByDictionaryLiteral {
  /// Variables by name.
  public init(dictionaryLiteral elements: (String, OrgValue)...) {
    self.init(Dictionary(elements) { $1 })
  }
}
