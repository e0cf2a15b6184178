/// An entity tag in a normalised form, in which all tags of one version are equal.
///
/// Apache's tags are weak in a file's first second and strong afterwards; proxies and compression mark them weak or append a
/// suffix; wsgidav's listings omit the quotes. The version is the same.
struct EntityTag: Hashable, Sendable {
  let text: String

  private static let endings = ["--gzip", "-gzip", ";gzip", "-br", "-deflate"]

  /// Normalises a tag from a listing; returns nil if nothing is left.
  init?(_ written: String) {
    var text = written[...]
    if text.hasPrefix("W/") { text = text.dropFirst(2) }
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    let isOdd = text.unicodeScalars.contains { $0.value < 0x21 || $0.value == 0x7F || $0 == "\"" }
    guard !text.isEmpty, !isOdd else { return nil }
    self.text = String(text)
  }

  /// Returns true if the tag of a received content is this one, possibly with the suffix that compression appends.
  func matches(served: String) -> Bool {
    guard let other = EntityTag(served) else { return false }
    return other == self || Self.endings.contains { other.text == text + $0 }
  }

  /// The quoted tag for a condition.
  var quoted: String { "\"\(text)\"" }
}
