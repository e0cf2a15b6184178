/// A pattern for paths in the syntax of gitignore(5): `*.org`, `**/archive/*`. The layer that uses it does the matching.
public struct Glob: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The pattern as written.
  public let pattern: String

  /// Creates the pattern of a default.
  public init(stringLiteral pattern: String) { self.pattern = pattern }
}

extension Glob: TextSettingValue {
  /// Any text but the empty one.
  public static var form: SettingForm {
    SettingForm("a pattern such as \"*.org\"", schema: ["type": "string", "minLength": 1])
  }

  /// Nil if `text` is empty.
  public init?(text: String) {
    guard !text.isEmpty else { return nil }
    pattern = text
  }

  /// The pattern.
  public var text: String { pattern }
}
