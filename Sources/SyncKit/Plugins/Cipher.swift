/// Encrypts and decrypts the files of a remote.
///
/// A file passes through a stream in bounded pieces, so it may be larger than memory. The message of an error about a file is
/// the rest of a sentence that begins with the file's name.
///
/// A cipher need not prove who wrote a file: the layer around a storage does that for every cipher, by the contents of the
/// label. A cipher must prove that the plaintext is complete and that the label belongs to it, unless it declares otherwise
/// (`EncryptionBackend.sealsStorages`).
public protocol Cipher: Sendable {
  /// The id of the plugin, which the remote's marker records.
  var id: String { get }

  /// Returns true if names are encrypted too.
  var hidesNames: Bool { get }

  /// Returns true if a file that begins with these bytes, or consists of them, may have been encrypted with this cipher.
  func isEncrypted(_ start: [UInt8]) -> Bool

  /// A stream that encrypts one file. The same bytes give a different result each time, which is never shorter than they are.
  /// `label` is encrypted too and is stored in the file, outside of its content; an empty label means none. A label has at most
  /// 160 bytes if names are readable.
  func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream

  /// A stream that decrypts one file. Its output may be used only after `finish` has returned. It throws `.unauthorized`
  /// if the file was encrypted for another key, as far as the format can tell, and `.suspect` if it is damaged.
  func decryptor() throws(SyncError) -> any CipherStream

  /// The cipher for the files of a remote with this key. Default: the same cipher.
  func keyed(by key: [UInt8]) throws(SyncError) -> any Cipher

  /// Text for people who decrypt the files of a remote with this key by hand. It is stored encrypted, beside the key.
  /// Default: none.
  func note(for key: [UInt8]) -> String
}

extension Cipher {
  public var hidesNames: Bool { false }
  public func keyed(by key: [UInt8]) throws(SyncError) -> any Cipher { self }
  public func note(for key: [UInt8]) -> String { "" }
}

/// Receives the output of a cipher's stream, piece by piece.
public typealias CipherOutput = ([UInt8]) async throws(SyncError) -> Void

/// One file that passes through a cipher.
public protocol CipherStream: Sendable {
  /// Processes the next bytes, and passes the result so far to `output` in pieces of at most 1 MiB more than `chunk` has.
  mutating func update(_ chunk: [UInt8], into output: CipherOutput) async throws(SyncError)

  /// Processes the end of the file, and passes the rest to `output`.
  mutating func finish(into output: CipherOutput) async throws(SyncError)

  /// The label of a decrypted file; nil before `finish` has returned, and for a file without one.
  var label: [UInt8]? { get }
}

extension Cipher {
  /// Encrypts a small content.
  public func encrypt(_ bytes: [UInt8], as path: SyncPath, label: [UInt8] = []) async throws(SyncError) -> [UInt8] {
    try await run(bytes, path, atMost: .max) { () throws(SyncError) in try encryptor(label: label) }
  }

  /// Decrypts a small file; throws `.suspect` if its content has more than `limit` bytes. Default limit: the size of the
  /// encrypted file, because encryption does not compress.
  public func decrypt(
    _ bytes: [UInt8], as path: SyncPath, atMost limit: Int? = nil
  ) async throws(SyncError) -> [UInt8] {
    try await run(bytes, path, atMost: limit ?? bytes.count) { () throws(SyncError) in try decryptor() }
  }

  private func run(
    _ bytes: [UInt8], _ path: SyncPath, atMost limit: Int, _ start: () throws(SyncError) -> any CipherStream
  ) async throws(SyncError) -> [UInt8] {
    do throws(SyncError) {
      var stream = try start()
      var result: [UInt8] = []
      let output: CipherOutput = { piece throws(SyncError) in
        guard result.count + piece.count <= limit else { throw SyncError.tooLarge(limit) }
        result += piece
      }
      try await stream.update(bytes, into: output)
      try await stream.finish(into: output)
      return result
    } catch { throw error.about(path) }
  }
}

extension SyncError {
  /// The error with the file's name before it.
  package func about(_ path: SyncPath) -> SyncError {
    SyncError(code, "\(path) \(message)", cause: cause, remedy: remedy)
  }

  /// The error for a file whose content is larger than its encrypted form allows.
  package static func tooLarge(_ limit: Int) -> SyncError {
    SyncError(.suspect, "decrypts to more than \(limit) B, although encryption does not compress")
  }
}

/// A stream for a format that needs a whole file, which therefore must be small.
public struct WholeFileStream: CipherStream {
  public let label: [UInt8]? = nil
  private let work: @Sendable ([UInt8]) throws(SyncError) -> [UInt8]
  private var bytes: [UInt8] = []

  public init(_ work: @escaping @Sendable ([UInt8]) throws(SyncError) -> [UInt8]) { self.work = work }

  public mutating func update(_ chunk: [UInt8], into output: CipherOutput) { bytes += chunk }

  public mutating func finish(into output: CipherOutput) async throws(SyncError) { try await output(work(bytes)) }
}
