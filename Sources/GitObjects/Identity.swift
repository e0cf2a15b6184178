/// The identity of an author or committer.
package struct Identity: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  package var mail: String

  package init(name: String, mail: String) {
    self.name = Self.clean(name)
    self.mail = Self.clean(mail)
  }

  /// Parses `NAME <MAIL>`; returns nil for any other text.
  package init?(_ text: String) {
    guard let open = text.firstIndex(of: "<"), text.last == ">" else { return nil }
    let name = text[..<open].trimmingPrefix(while: { $0 == " " }).reversed().drop { $0 == " " }.reversed()
    self.init(name: String(name), mail: String(text[text.index(after: open)...].dropLast()))
    guard !self.name.isEmpty, !mail.isEmpty else { return nil }
  }

  package var description: String { "\(name) <\(mail)>" }

  /// Removes characters that git does not allow in names.
  private static func clean(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "<" && $0 != ">" && $0.value != 0x7F })
  }
}
