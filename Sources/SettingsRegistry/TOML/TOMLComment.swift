/// A comment of a TOML document.
public struct TOMLComment: Sendable, Hashable {
  /// The text after the `#`, as it stands there.
  public let text: String
  /// Where the `#` is.
  public let location: TextLocation
}
