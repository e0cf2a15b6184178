import MeshStore
import SyncKit

/// A line from the helper.
enum HelperEvent: Sendable, Equatable {
  case listening(port: UInt16)
  case link(Int, host: String, isOutgoing: Bool)
  case unlink(Int, reason: String)
  case message(Int, [UInt8])
  case complete(MerkleRoot)
  case error(MerkleRoot, reason: String)
  case failed(command: String, reason: String)
  /// The helper has ended.
  case ended

  /// Parses a line; nil for others, which a later version may send.
  init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 2 else { return nil }
    switch (words[0], words.count) {
    case ("listening", 2):
      guard let port = UInt16(words[1]) else { return nil }
      self = .listening(port: port)
    case ("link", 4):
      guard let number = Int(words[1]), let host = Self.host(words[2]) else { return nil }
      self = .link(number, host: host, isOutgoing: words[3] == "out")
    case ("unlink", 3...):
      guard let number = Int(words[1]) else { return nil }
      self = .unlink(number, reason: words[2])
    case ("message", 3):
      guard let number = Int(words[1]), let bytes = Hexadecimal.bytes(words[2]) else { return nil }
      self = .message(number, bytes)
    case ("complete", 2):
      guard let root = Digest(hexadecimal: words[1]) else { return nil }
      self = .complete(MerkleRoot(root))
    case ("error", 3...):
      guard let root = Digest(hexadecimal: words[1]) else { return nil }
      self = .error(MerkleRoot(root), reason: words[2])
    case ("failed", 3...): self = .failed(command: words[1], reason: words[2])
    default: return nil
    }
  }

  /// The host of `HOST:PORT`; an IPv6 address without its brackets.
  private static func host(_ address: String) -> String? {
    guard let colon = address.lastIndex(of: ":") else { return nil }
    return String(address[..<colon].filter { $0 != "[" && $0 != "]" })
  }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap(value)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
