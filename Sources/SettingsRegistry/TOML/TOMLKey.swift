/// A key, or one part of a dotted key, and the place where it stands.
///
/// Keys are the same only if their bytes are: TOML, unlike `String`, tells a composed letter from a decomposed one.
public struct TOMLKey: Sendable, Hashable {
  /// The key without quotes.
  public let text: String
  /// Where it begins.
  public let location: TextLocation

  /// `text` as it stands at `location`.
  public init(_ text: String, at location: TextLocation) {
    self.text = text
    self.location = location
  }

  /// Keys are compared by their bytes, wherever they stand.
  public static func == (first: Self, second: Self) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Hashes the bytes of the text.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
