internal import SyncKit

/// The text of a bundle: a line that identifies the format, then for each file its digest, size and name, and its bytes.
struct Bundle: Equatable {
  var files: [SyncPath: [UInt8]] = [:]

  private static let title = Array("syncd bundle 1".utf8)
  private static let lineEnd = UInt8(ascii: "\n")

  init() {}

  /// Parses the text of a bundle; nil if it is damaged or something else.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let title = Self.line(&rest), title.elementsEqual(Self.title) else { return nil }
    while let line = Self.line(&rest) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 3, let digest = Digest(hexadecimal: words[0]), let size = Int(words[1]),
        let path = SyncPath(bytes: Self.decoded(words[2])), (0..<rest.count).contains(size)
      else { return nil }
      let content = Array(rest.prefix(size))
      guard Digest(of: content) == digest else { return nil }
      files[path] = content
      rest = rest.dropFirst(size + 1)
    }
    guard rest.isEmpty else { return nil }
  }

  /// The text of the bundle.
  var bytes: [UInt8] {
    var bytes = Self.title + [Self.lineEnd]
    for (path, content) in files.sorted(by: { $0.key < $1.key }) {
      bytes += Array("\(Digest(of: content)) \(content.count) \(Self.encoded(path.bytes))\n".utf8)
      bytes += content + [Self.lineEnd]
    }
    return bytes
  }

  /// What prevents a file from being written; nil if nothing does.
  func obstacle(to path: SyncPath) -> String? {
    files.keys.first { $0.isInside(path) || path.isInside($0) }.map { "\($0) prevents a file of this name" }
  }

  private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: lineEnd) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
  }

  /// Names are bytes; all but letters, digits and a few others are escaped as in a URL.
  private static func encoded(_ name: [UInt8]) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/".utf8)
    return name.map {
      plain.contains($0) ? String(UnicodeScalar($0)) : "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    .joined()
  }

  private static func decoded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
