#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A credentials or config file that AWS's tools share: sections of `name = value` lines.
struct SharedFile: Sendable {
  private var sections: [String: [String: String]] = [:]

  /// Parses the text of a file. Nested values, which are indented, and lines without `=` are ignored.
  init(_ text: String) {
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
      if first == "[" {
        section = line.dropFirst().prefix { $0 != "]" }.split(separator: " ").joined(separator: " ")
      } else if let equals = line.firstIndex(of: "=") {
        let name = line[..<equals].filter { !$0.isWhitespace }.lowercased()
        sections[section, default: [:]][name] = Self.value(line[line.index(after: equals)...])
      }
    }
  }

  /// Reads a file; nil if there is none, or if it is larger than a megabyte.
  init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else { return nil }
    self.init(String(decoding: data, as: UTF8.self))
  }

  private static func value(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The values of a section; nil if there is none.
  subscript(section: String) -> [String: String]? { sections[section] }
}
