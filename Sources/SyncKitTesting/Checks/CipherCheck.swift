public import SyncKit

/// A requirement for every cipher, and a test of it.
///
/// A complete test of a cipher runs all checks, in any test framework:
///
/// ```swift
/// @Test(arguments: CipherCheck.all)
/// func age(check: CipherCheck) async throws {
///   try await check.run(on: CheckedCipher(cipher, stranger: cipherWithAnotherKey))
/// }
/// ```
public struct CipherCheck: Sendable {
  /// The requirement, as a claim.
  public let name: String
  private let body: @Sendable (CheckedCipher) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (CheckedCipher) async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// All checks.
  public static let all = contents + streaming + labels + wholeness + secrecy + keys

  /// The checks for a cipher that proves nothing and has no labels, which can be used only for a format of its own
  /// (`EncryptionBackend.sealsStorages`).
  public static let withoutProof = contents + secrecy

  /// Runs the check; throws a `CheckFailure` if the claim does not hold.
  public func run(on cipher: CheckedCipher) async throws { try await body(cipher) }
}

extension CipherCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// A cipher, with the data that its checks need.
public struct CheckedCipher: Sendable {
  let cipher: any Cipher
  let stranger: any Cipher
  let blockSizes: [Int]
  let stride: Int

  /// - Parameters:
  ///   - stranger: The same cipher with other keys.
  ///   - blockSizes: The block sizes of the format; contents around each border are tested.
  ///   - stride: The distance of the bytes that are changed and at which a file is cut: 1 tests each byte, 10 each tenth, for
  ///     ciphers that start a program.
  public init(
    _ cipher: any Cipher, stranger: any Cipher, blockSizes: [Int] = [16, 48, 64, 1 << 16], stride: Int = 1
  ) {
    self.cipher = cipher
    self.stranger = stranger
    self.blockSizes = blockSizes
    self.stride = stride
  }

  static let label = Array("a label that no one else may read or exchange".utf8)

  func encrypted(_ content: [UInt8], label: [UInt8] = [], by piece: Int = .max) async throws -> [UInt8] {
    var stream = try cipher.encryptor(label: label)
    return try await stream.run(content, inPiecesOf: piece)
  }

  func decrypted(
    _ bytes: [UInt8], by piece: Int = .max, _ cipher: (any Cipher)? = nil
  ) async throws(SyncError) -> (content: [UInt8], label: [UInt8]?) {
    var stream = try (cipher ?? self.cipher).decryptor()
    let content = try await stream.run(bytes, inPiecesOf: piece)
    return (content, stream.label)
  }
}

extension CipherStream {
  /// Passes a whole file through the stream and returns the result.
  public mutating func run(_ bytes: [UInt8], inPiecesOf size: Int = .max) async throws(SyncError) -> [UInt8] {
    var result: [UInt8] = []
    let output: CipherOutput = { result += $0 }
    var start = 0
    while start < bytes.count {
      let end = start + min(size, bytes.count - start)
      try await update(Array(bytes[start..<end]), into: output)
      start = end
    }
    try await finish(into: output)
    return result
  }
}

// MARK: Round trips

extension CipherCheck {
  static let contents = [
    CipherCheck("contents of any size are restored, in chunks of any size") { cipher in
      for size in cipher.sizes {
        let content = pattern(size)
        for piece in [997, Int.max] {
          let encrypted = try await cipher.encrypted(content, by: piece)
          let plain = try await cipher.decrypted(encrypted, by: piece == 997 ? .max : 997).content
          try require(
            plain == content,
            "a content of \(size.counted("byte")) was decrypted to a different one of \(plain.count.counted("byte"))")
        }
      }
    },
    CipherCheck("encrypted files are recognized by their first bytes, and other files are not") { cipher in
      let encrypted = try await cipher.encrypted(pattern(1_000), label: CheckedCipher.label)
      try require(
        cipher.cipher.isEncrypted(encrypted) && cipher.cipher.isEncrypted(Array(encrypted.prefix(256))),
        "an encrypted file was not recognized")
      for text in ["", "* A heading\n", "#+title: notes\n"] {
        try require(!cipher.cipher.isEncrypted(Array(text.utf8)), "\"\(text)\" was recognized as an encrypted file")
      }
    },
  ]

  static let streaming = [
    CipherCheck("large contents are processed in bounded chunks, without compression") { cipher in
      let size = 3 << 20
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      var encryption = try cipher.cipher.encryptor(label: [])
      var encrypted: [UInt8] = []
      for _ in 0..<3 { try await encryption.update(zeros) { encrypted += $0 } }
      try await encryption.finish { encrypted += $0 }
      try require(
        encrypted.count >= size, "\(size) zeros became \(encrypted.count.counted("byte")): they were compressed")
      var decryption = try cipher.cipher.decryptor()
      var (largest, sum) = (0, 0)
      let count: CipherOutput = { piece in (largest, sum) = (max(largest, piece.count), sum + piece.count) }
      for start in Swift.stride(from: 0, to: encrypted.count, by: 1 << 16) {
        try await decryption.update(Array(encrypted[start..<min(start + (1 << 16), encrypted.count)]), into: count)
      }
      try await decryption.finish(into: count)
      try require(sum == size, "\(size.counted("byte")) were decrypted to \(sum.counted("byte"))")
      try require(
        largest <= (1 << 20) + (1 << 17), "a chunk of 64 KiB was decrypted to \(largest.counted("byte")) at once")
    }
  ]

  static let labels = [
    CipherCheck("a label is restored with its file, and only after the end of the file") { cipher in
      let encrypted = try await cipher.encrypted(pattern(1_000), label: CheckedCipher.label)
      var stream = try cipher.cipher.decryptor()
      try await stream.update(encrypted) { _ in }
      try require(stream.label == nil, "the label was returned before the end of the file was verified")
      try await stream.finish { _ in }
      try require(stream.label == CheckedCipher.label, "the restored label is \(stream.label ?? [])")
      let plain = try await cipher.decrypted(cipher.encrypted(pattern(10)))
      try require(plain.label == nil || plain.label == [], "a file without a label was decrypted with one")
    },
    CipherCheck("the label is not readable in the encrypted file") { cipher in
      let canary = Array("kanarienvogel, kanarienvogel".utf8)
      let encrypted = try await cipher.encrypted(pattern(100), label: canary)
      try require(!encrypted.hasTrace(of: canary), "the label is readable in the encrypted file")
    },
  ]

  /// Bytes without a short period.
  static func pattern(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(state: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}

extension CheckedCipher {
  fileprivate var sizes: [Int] {
    var sizes: Set<Int> = [0, 1, 2]
    for size in blockSizes {
      for border in [size, 2 * size] { sizes.formUnion([border - 1, border, border + 1]) }
    }
    return sizes.sorted()
  }
}

// MARK: Wholeness

extension CipherCheck {
  static let wholeness = [
    CipherCheck("a changed bit is refused, or changes nothing") { cipher in
      for size in [0, 40] {
        let file = try await cipher.encrypted(pattern(size), label: CheckedCipher.label)
        for index in Swift.stride(from: 0, to: file.count, by: cipher.stride) {
          for bit in cipher.stride == 1 ? Array(0..<8) : [index % 8] {
            var changed = file
            changed[index] ^= 1 << UInt8(bit)
            try await cipher.requireProof(of: pattern(size), changed, "bit \(bit) of byte \(index) was changed")
          }
        }
      }
    },
    CipherCheck("a truncated file is refused, or has its whole content") { cipher in
      let content = pattern(40)
      let file = try await cipher.encrypted(content, label: CheckedCipher.label)
      for index in Swift.stride(from: 0, to: file.count, by: cipher.stride) {
        try await cipher.requireProof(
          of: content, Array(file[..<index]), "the file was truncated after \(index.counted("byte"))")
      }
    },
    CipherCheck("a file with a missing or repeated block is refused") { cipher in
      for size in cipher.blockSizes {
        let content = pattern(3 * size)
        let file = try await cipher.encrypted(content, label: CheckedCipher.label)
        let tail = file.count - 3 * size
        guard tail > 0 else { continue }
        for (name, changed) in [
          ("block was removed", Array(file[..<tail]) + file[(tail + size)...]),
          ("block was repeated", Array(file[..<(tail + size)]) + file[tail...]),
          ("last block was removed", Array(file.dropLast(size))), ("byte was appended", file + [0]),
          ("file was appended to itself", file + file),
        ] { try await cipher.requireProof(of: content, changed, "a \(name)") }
      }
    },
  ]
}

extension CheckedCipher {
  /// Requires an error, or exactly the same content and label.
  fileprivate func requireProof(of content: [UInt8], _ file: [UInt8], _ change: String) async throws {
    let result: (content: [UInt8], label: [UInt8]?)
    do throws(SyncError) { result = try await decrypted(file) } catch { return }
    try require(result.content == content, "\(change), and a different content was returned without an error")
    try require(result.label == Self.label, "\(change), and a different label was returned without an error")
  }
}

// MARK: Secrecy

extension CipherCheck {
  static let secrecy = [
    CipherCheck("the same content is encrypted differently each time") { cipher in
      let content = pattern(4_000)
      let first = try await cipher.encrypted(content)
      let second = try await cipher.encrypted(content)
      try require(first != second, "the same content was encrypted to the same bytes twice")
      // Headers may have common parts, such as the names of keys; the content may not.
      try require(
        first.suffix(3_000) != second.suffix(3_000) && !first.hasBlock(of: second.suffix(64)),
        "two encryptions of the same content resemble each other")
    },
    CipherCheck("equal parts of a content are encrypted differently") { cipher in
      let encrypted = try await cipher.encrypted([UInt8](repeating: 0x61, count: 8_192)).suffix(8_000)
      var seen: Set<[UInt8]> = []
      for start in Swift.stride(from: encrypted.startIndex, to: encrypted.endIndex - 16, by: 16) {
        let block = Array(encrypted[start..<start + 16])
        try require(seen.insert(block).inserted, "a block of 16 bytes is repeated in the encrypted content")
      }
    },
    CipherCheck("the content is not readable in the encrypted file") { cipher in
      let canary = Array("kanarienvogel".utf8)
      let encrypted = try await cipher.encrypted([[UInt8]](repeating: canary, count: 200).flatMap(\.self))
      try require(!encrypted.hasTrace(of: canary), "the content is readable in the encrypted file")
    },
  ]

  static let keys = [
    CipherCheck("another key is refused as unauthorized") { cipher in
      let file = try await cipher.encrypted(pattern(100))
      do throws(SyncError) {
        _ = try await cipher.decrypted(file, cipher.stranger)
      } catch {
        return try require(
          error.code == .unauthorized, "another key was refused with \(error.code) instead of unauthorized")
      }
      throw CheckFailure("another key decrypted the file")
    }
  ]
}

extension [UInt8] {
  /// Returns true if the bytes occur, verbatim or in base 64 at any offset.
  fileprivate func hasTrace(of canary: [UInt8]) -> Bool {
    firstRange(of: canary) != nil
      || (0..<3).contains { offset in
        let whole = canary.dropFirst(offset)
        let text = Self.base64(Array(whole.prefix(whole.count / 3 * 3)))
        return firstRange(of: text) != nil
      }
  }

  fileprivate func hasBlock(of block: ArraySlice<UInt8>) -> Bool { firstRange(of: Array(block)) != nil }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in Swift.stride(from: 0, to: bytes.count, by: 3) {
      let word = bytes[start..<start + 3].reduce(0) { (word: UInt32, byte: UInt8) in word << 8 | UInt32(byte) }
      for shift: UInt32 in [18, 12, 6, 0] { text.append(digits[Int(word >> shift & 63)]) }
    }
    return text
  }
}
