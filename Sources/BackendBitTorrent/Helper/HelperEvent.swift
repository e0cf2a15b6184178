import MeshStore
import SyncKit

/// A line from the helper.
enum HelperEvent: Sendable, Equatable {
  case listening(port: UInt16)
  case link(Int, host: String, isOutgoing: Bool)
  case unlink(Int, reason: String)
  case message(Int, [UInt8])
  /// The bytes of a segment that have arrived.
  case progress(MerkleRoot, done: Int)
  case complete(MerkleRoot)
  case error(MerkleRoot, reason: String)
  case failed(command: String, reason: String)
  /// All bytes that were sent and received since the helper began to listen.
  case traffic(up: Int, down: Int)
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
      guard let number = Int(words[1]), let bytes = Hexadecimal.bytes(of: words[2]) else { return nil }
      self = .message(number, bytes)
    case ("progress", 3):
      guard let root = Digest(hexadecimal: words[1]), let done = Int(words[2]) else { return nil }
      self = .progress(MerkleRoot(root), done: done)
    case ("traffic", 3):
      guard let up = Int(words[1]), let down = Int(words[2]) else { return nil }
      self = .traffic(up: up, down: down)
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

  /// True if it comes at intervals, whether devices exchange anything or not.
  var isStatistics: Bool { if case .traffic = self { true } else { false } }

  /// The host of `HOST:PORT`; an IPv6 address without its brackets.
  private static func host(_ address: String) -> String? {
    guard let colon = address.lastIndex(of: ":") else { return nil }
    return String(address[..<colon].filter { $0 != "[" && $0 != "]" })
  }
}
