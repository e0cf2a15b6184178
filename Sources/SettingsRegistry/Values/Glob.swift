/// A pattern for paths, as git writes them: `*.org`, `**/archive/*`. What it matches is decided elsewhere.
public struct Glob: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The pattern as written.
  public let pattern: String

  /// A pattern of the program's own.
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
