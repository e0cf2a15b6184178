import Crypto
import SyncKit

/// A small cipher that passes all checks: label and content under ChaCha20-Poly1305. A flaw can be planted in it.
struct ToyCipher: Cipher {
  enum Flaw: CaseIterable {
    case provesNothing, showsLabel, isXor, isDeterministic, compresses, tellsLabelEarly, refusesOtherKeysAsDamage
    case dropsLastByte, recognisesEverything
  }

  private static let mark = Array("toy\n".utf8)
  let id = "toy"
  var key = SymmetricKey(size: .bits256)
  var flaw: Flaw?

  func isEncrypted(_ start: [UInt8]) -> Bool { flaw == .recognisesEverything || start.starts(with: Self.mark) }

  func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream {
    ToyStream { content throws(SyncError) in (Self.mark + encrypted(content, label), nil) }
  }

  func decryptor() throws(SyncError) -> any CipherStream {
    ToyStream(label: flaw == .tellsLabelEarly ? [1] : nil) { bytes throws(SyncError) in
      guard bytes.starts(with: Self.mark) else { throw SyncError(.suspect, "is not a file of the toy") }
      let (label, content) = try decrypted(Array(bytes.dropFirst(Self.mark.count)))
      return (flaw == .dropsLastByte ? content.dropLast() : content, label)
    }
  }

  private func encrypted(_ content: [UInt8], _ label: [UInt8]) -> [UInt8] {
    let plain = Self.joined(label, content)
    return switch flaw {
    case .isXor: plain.map { $0 ^ 0x5A }
    case .provesNothing: box(plain).dropLast(16)
    case .showsLabel: Self.joined(label, box(content))
    case .compresses: box(Self.compressed(plain))
    default: box(plain)
    }
  }

  private func decrypted(_ bytes: [UInt8]) throws(SyncError) -> (label: [UInt8], content: [UInt8]) {
    switch flaw {
    case .isXor: return try Self.split(bytes.map { $0 ^ 0x5A })
    case .provesNothing:
      guard bytes.count >= 12 else { throw Self.damaged }
      // Encrypting the ciphertext with the same nonce decrypts it.
      return try Self.split(
        Array(box(Array(bytes.dropFirst(12)), nonce: Array(bytes.prefix(12))).dropFirst(12).dropLast(16)))
    case .showsLabel:
      let (label, rest) = try Self.split(bytes)
      return (label, try unboxed(rest))
    case .compresses: return try Self.split(Self.expanded(unboxed(bytes)))
    default: return try Self.split(unboxed(bytes))
    }
  }

  private func box(_ bytes: [UInt8], nonce: [UInt8]? = nil) -> [UInt8] {
    let nonce = nonce ?? (flaw == .isDeterministic ? [UInt8](repeating: 0, count: 12) : Runtime.real.random(12))
    do { return Array(try ChaChaPoly.seal(bytes, using: key, nonce: ChaChaPoly.Nonce(data: nonce)).combined) } catch {
      preconditionFailure("12 bytes are a nonce")
    }
  }

  private func unboxed(_ bytes: [UInt8]) throws(SyncError) -> [UInt8] {
    do { return Array(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: bytes), using: key)) } catch {
      throw flaw == .refusesOtherKeysAsDamage
        ? Self.damaged : SyncError(.unauthorized, "has another key, or is damaged")
    }
  }

  private static func joined(_ label: [UInt8], _ content: [UInt8]) -> [UInt8] { [UInt8(label.count)] + label + content }

  private static func split(_ bytes: [UInt8]) throws(SyncError) -> (label: [UInt8], content: [UInt8]) {
    guard let size = bytes.first.map(Int.init), bytes.count > size else { throw damaged }
    return (Array(bytes.dropFirst().prefix(size)), Array(bytes.dropFirst(1 + size)))
  }

  /// Run-length encoding of up to 255 equal bytes.
  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var runs: [UInt8] = []
    for byte in bytes {
      if let last = runs.last, last == byte, runs[runs.count - 2] < 255 {
        runs[runs.count - 2] += 1
      } else {
        runs += [1, byte]
      }
    }
    return runs
  }

  private static func expanded(_ runs: [UInt8]) -> [UInt8] {
    stride(from: 0, to: runs.count - 1, by: 2).flatMap { [UInt8](repeating: runs[$0 + 1], count: Int(runs[$0])) }
  }

  private static let damaged = SyncError(.suspect, "is damaged")
}

private struct ToyStream: CipherStream {
  private(set) var label: [UInt8]?
  private let work: @Sendable ([UInt8]) throws(SyncError) -> ([UInt8], [UInt8]?)
  private var bytes: [UInt8] = []

  init(
    label: [UInt8]? = nil, _ work: @escaping @Sendable ([UInt8]) throws(SyncError) -> ([UInt8], [UInt8]?)
  ) {
    self.label = label
    self.work = work
  }

  mutating func update(_ chunk: [UInt8], into output: CipherOutput) { bytes += chunk }

  mutating func finish(into output: CipherOutput) async throws(SyncError) {
    let (result, label) = try work(bytes)
    self.label = label
    for start in stride(from: 0, to: result.count, by: 1 << 20) {
      try await output(Array(result[start..<min(start + (1 << 20), result.count)]))
    }
  }
}
