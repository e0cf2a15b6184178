internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The marker of an encrypted remote: two lines for encryption in addition to those of other layers.
struct SealedMarker: Hashable, Sendable {
  /// The id of the cipher, and the encrypted text of the remote's key.
  struct Seal: Hashable, Sendable {
    var cipher: String
    var key: [UInt8]
  }

  /// All other lines, unchanged.
  var rest: [UInt8]
  var seal: Seal?
  /// The encrypted number of the last version that the writer of the marker knew.
  var clock: [UInt8]?

  private static let clockWord = "clock"

  init(rest: [UInt8], seal: Seal?, clock: [UInt8]?) {
    self.rest = rest
    self.seal = seal
    self.clock = clock
  }

  init(_ bytes: [UInt8]) {
    self.init(rest: [], seal: nil, clock: nil)
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) where !take(line) {
      rest += line + [UInt8(ascii: "\n")]
    }
    rest.removeLast()
  }

  /// Parses a line of this layer; returns false for other lines.
  private mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
    if words.first == RootMarker.encryptionKeyword {
      // Even a damaged line means that nothing may be written unencrypted.
      let key = words.count == 3 ? Data(base64Encoded: words[2]) : nil
      seal = Seal(cipher: words.count > 1 ? words[1] : "something", key: Array(key ?? Data()))
    } else if words.first == Self.clockWord, words.count == 2, let number = Data(base64Encoded: words[1]) {
      clock = Array(number)
    } else {
      return false
    }
    return true
  }

  /// The bytes of the marker.
  var bytes: [UInt8] {
    var lines: [String] = []
    if let seal {
      lines.append("\(RootMarker.encryptionKeyword) \(seal.cipher) \(Data(seal.key).base64EncodedString())\n")
    }
    if let clock { lines.append("\(Self.clockWord) \(Data(clock).base64EncodedString())\n") }
    let isOpen = rest.last.map { $0 != UInt8(ascii: "\n") } ?? false
    return rest + (isOpen ? [UInt8(ascii: "\n")] : []) + lines.flatMap(\.utf8)
  }
}
