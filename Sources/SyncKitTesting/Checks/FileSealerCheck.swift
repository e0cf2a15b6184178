public import SyncKit

/// A requirement for every `FileSealer`, and a test of it.
public struct FileSealerCheck: Sendable {
  /// The requirement, as a claim.
  public let name: String
  private let body: @Sendable (CheckedFileSealer) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (CheckedFileSealer) async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// Runs the check; throws a `CheckFailure` if the claim does not hold.
  public func run(on sealer: CheckedFileSealer) async throws { try await body(sealer) }

  /// All checks.
  public static let all = [
    FileSealerCheck("a file that the user encrypted is decrypted, and re-encrypted for the same recipients") { sealer in
      for text in sealer.texts {
        let file = try await sealer.sealer.open(sealer.sample(text), atMost: 1 << 20)
        try require(file.text == text, "a text of \(text.count.counted("byte")) was decrypted to a different one")
        let again = try await sealer.sealer.open(sealer.sealer.seal(text + [0x21], like: file), atMost: 1 << 20)
        try require(again.text == text + [0x21], "a re-encrypted text was decrypted to a different one")
        try require(again.readers == file.readers, "the recipients changed from \(file.readers) to \(again.readers)")
        try require(again.isArmored == file.isArmored, "the file's format changed between text and binary")
      }
    },
    FileSealerCheck("the same text is encrypted differently each time, and is not readable") { sealer in
      let canary = Array("kanarienvogel".utf8)
      let text = [[UInt8]](repeating: canary, count: 50).flatMap(\.self)
      let file = try await sealer.sealer.open(sealer.sample(text), atMost: 1 << 20)
      let (first, second) = (
        try await sealer.sealer.seal(text, like: file), try await sealer.sealer.seal(text, like: file)
      )
      try require(first != second, "the same text was encrypted to the same bytes twice")
      for bytes in [first, second] {
        try require(bytes.firstRange(of: canary) == nil, "the text is readable in the encrypted file")
      }
    },
    FileSealerCheck("a changed or truncated file is refused, or has the same text") { sealer in
      let text = Array("* A heading\nand a line\n".utf8)
      let file = try await sealer.sealer.open(sealer.sample(text), atMost: 1 << 20)
      let bytes = try await sealer.sealer.seal(text, like: file)
      for index in Swift.stride(from: 0, to: bytes.count, by: sealer.stride) {
        var changed = bytes
        changed[index] ^= 1 << UInt8(index % 8)
        for (what, damaged) in [("changed at", changed), ("truncated after", Array(bytes[..<index]))] {
          guard let text = try await sealer.text(of: damaged) else { continue }
          try require(text == file.text, "a file that was \(what) byte \(index) was decrypted to a different text")
        }
      }
    },
    FileSealerCheck("a text that is larger than the limit is refused") { sealer in
      // Its compressed form is small.
      let sample = try await sealer.sample([UInt8](repeating: 0x61, count: 2 << 20))
      do throws(SyncError) { _ = try await sealer.sealer.open(sample, atMost: 1 << 20) } catch { return }
      throw CheckFailure("2 MiB were decrypted with a limit of 1 MiB")
    },
    FileSealerCheck("a file for other recipients is refused") { sealer in
      let foreign = try await sealer.foreign(Array("secret\n".utf8))
      guard try await sealer.text(of: foreign) != nil else { return }
      throw CheckFailure("a file was decrypted without its key")
    },
  ]
}

extension FileSealerCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// A `FileSealer`, with the data that its checks need.
public struct CheckedFileSealer: Sendable {
  let sealer: any FileSealer
  let sample: @Sendable ([UInt8]) async throws -> [UInt8]
  let foreign: @Sendable ([UInt8]) async throws -> [UInt8]
  let stride: Int

  /// - Parameters:
  ///   - stride: The distance of the bytes that are changed and at which a file is cut: 1 tests each byte, 10 each tenth.
  ///   - sample: Returns a text encrypted as by a user for themselves, ideally by the program that they use.
  ///   - foreign: Returns a text encrypted for other readers only.
  public init(
    _ sealer: any FileSealer, stride: Int = 1, sample: @escaping @Sendable ([UInt8]) async throws -> [UInt8],
    foreign: @escaping @Sendable ([UInt8]) async throws -> [UInt8]
  ) {
    self.sealer = sealer
    self.stride = stride
    self.sample = sample
    self.foreign = foreign
  }

  fileprivate let texts: [[UInt8]] = [
    Array("a".utf8), Array("* A heading\nand a line\n".utf8), CipherCheck.pattern(70_000),
  ]

  /// The text of a file; nil if it was refused.
  fileprivate func text(of file: [UInt8]) async throws -> [UInt8]? {
    do throws(SyncError) { return try await sealer.open(file, atMost: 1 << 20).text } catch { return nil }
  }
}
