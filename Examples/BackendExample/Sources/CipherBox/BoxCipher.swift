internal import Crypto
public import SyncKit

/// ChaCha20-Poly1305 over the label and the content. A whole file is kept in memory, so it suits small files.
public struct BoxCipher: Cipher {
  public let id = "box"
  private let key: [UInt8]

  /// - Parameter key: 32 bytes.
  public init(key: [UInt8]) { self.key = key }

  /// The cipher with a key of 64 hexadecimal digits; nil if the text is not one.
  public init?(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    guard text.count == 64, digits.count == 64 else { return nil }
    key = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private static let magic = Array("box 1\n\0\0".utf8)
  /// Distinguishes a file for another key from a damaged one.
  private var header: [UInt8] { Self.magic + SHA256.hash(data: Array("key id".utf8) + key).prefix(8) }

  public func isEncrypted(_ start: [UInt8]) -> Bool { start.starts(with: Self.magic) }

  public func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream {
    guard let length = UInt8(exactly: label.count) else { throw SyncError(.pathFailed, "has a label that is too long") }
    return BoxStream { content throws(SyncError) in
      guard
        let box = try? ChaChaPoly.seal(
          [length] + label + content, using: SymmetricKey(data: key), authenticating: header)
      else { throw SyncError(.unexpected, "cannot be encrypted") }
      return (header + box.combined, nil)
    }
  }

  public func decryptor() throws(SyncError) -> any CipherStream {
    BoxStream { file throws(SyncError) in
      guard isEncrypted(file) else { throw SyncError(.suspect, "is not a box") }
      guard file.starts(with: header) else { throw SyncError(.unauthorized, "was encrypted for another key") }
      guard let box = try? ChaChaPoly.SealedBox(combined: file.dropFirst(header.count)),
        let plain = try? ChaChaPoly.open(box, using: SymmetricKey(data: key), authenticating: header),
        let length = plain.first.map(Int.init), plain.count > length
      else { throw SyncError(.suspect, "is damaged") }
      return (Array(plain.dropFirst(1 + length)), Array(plain.dropFirst().prefix(length)))
    }
  }
}

/// Collects a file, transforms it as a whole, and passes the result on in pieces.
private struct BoxStream: CipherStream {
  private(set) var label: [UInt8]?
  private var bytes: [UInt8] = []
  private let transform: @Sendable ([UInt8]) throws(SyncError) -> (result: [UInt8], label: [UInt8]?)

  init(_ transform: @escaping @Sendable ([UInt8]) throws(SyncError) -> (result: [UInt8], label: [UInt8]?)) {
    self.transform = transform
  }

  mutating func update(_ chunk: [UInt8], into output: CipherOutput) { bytes += chunk }

  mutating func finish(into output: CipherOutput) async throws(SyncError) {
    let (result, label) = try transform(bytes)
    for start in stride(from: 0, to: result.count, by: 1 << 20) {
      try await output(Array(result[start..<min(start + (1 << 20), result.count)]))
    }
    self.label = label
  }
}
