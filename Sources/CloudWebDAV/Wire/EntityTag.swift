/// An entity tag in the one form in which tags of one version are equal, whatever their source.
///
/// Apache's tags are weak in a file's first second and strong afterwards; proxies and compression mark them weak or add an
/// ending; wsgidav's listings leave the quotes out. The version behind them is the same.
struct EntityTag: Hashable, Sendable {
  let text: String

  private static let endings = ["--gzip", "-gzip", ";gzip", "-br", "-deflate"]

  /// The tag as a listing tells it; nil for one of which nothing is left.
  init?(_ written: String) {
    var text = written[...]
    if text.hasPrefix("W/") { text = text.dropFirst(2) }
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    let isOdd = text.unicodeScalars.contains { $0.value < 0x21 || $0.value == 0x7F || $0 == "\"" }
    guard !text.isEmpty, !isOdd else { return nil }
    self.text = String(text)
  }

  /// Returns true if a tag that came with a content is this one, perhaps with the ending that compression adds.
  func matches(served: String) -> Bool {
    guard let other = EntityTag(served) else { return false }
    return other == self || Self.endings.contains { other.text == text + $0 }
  }

  /// The tag as a condition quotes it.
  var quoted: String { "\"\(text)\"" }
}
