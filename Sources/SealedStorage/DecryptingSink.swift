internal import SyncKit
import Synchronization

/// A completely decrypted file, with the fields of its label.
struct DecryptedFile: Hashable, Sendable {
  /// The digest and the size of the plain content.
  var digest: Digest
  var size: Int
  var number: UInt64
  var place: Digest
  var path: SyncPath?
}

/// Decrypts the contents that a storage reads, and passes them to another sink.
///
/// A content that its label does not prove never arrives completely: the other sink receives an error at the end and discards
/// it. Only the storage's results show which content belongs to which file, so the results here are stored by the digest of the
/// encrypted bytes, which the storage returns.
final class DecryptingSink: ContentSink {
  private let cipher: any Cipher
  private let key: RemoteKey
  private let sink: any ContentSink
  private let results = Mutex<[Digest: Result<DecryptedFile, SyncError>]>([:])

  init(_ cipher: any Cipher, _ key: RemoteKey, into sink: any ContentSink) {
    self.cipher = cipher
    self.key = key
    self.sink = sink
  }

  /// Returns the result for the file whose encrypted bytes have this digest.
  func result(for encrypted: Digest) -> Result<DecryptedFile, SyncError>? { results.withLock { $0[encrypted] } }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = DecryptingIntake(cipher, key)
    var result: Result<DecryptedFile, SyncError>
    do throws(SyncError) {
      _ = try await sink.receive(size: size) { out throws(SyncError) in
        await intake.begin(into: out)
        try await body(intake)
        try await intake.finish()
      }
      guard let file = await intake.file else { throw SyncError(.unexpected, "the sink did not read to the end") }
      result = .success(file)
    } catch {
      // A flaw of the file is not a failure of the storage, which has read it completely.
      guard let flaw = await intake.flaw else { throw error }
      result = .failure(flaw)
    }
    let encrypted = await intake.encrypted()
    results.withLock { $0[encrypted.digest] = result }
    return encrypted
  }
}

/// Decrypts one file.
private actor DecryptingIntake: ContentIntake {
  private let cipher: any Cipher
  private let key: RemoteKey
  private var out: (any ContentIntake)?
  private var stream: (any CipherStream)?
  private var encryptedHasher = DigestHasher()
  private var encryptedSize = 0
  private var plainHasher = DigestHasher()
  private var plainSize = 0
  /// The first bytes, until there are enough to detect encryption.
  private var start: [UInt8] = []
  /// The flaw of the file. The rest is still read, so that the storage completes its read.
  private(set) var flaw: SyncError?
  /// The error of the sink, which is not a flaw of the file.
  private var refusal: SyncError?
  /// The decrypted file, once its end is authenticated.
  private(set) var file: DecryptedFile?

  private static let enoughToTell = 256
  /// The maximum expansion of a byte in the former format: gpg compressed, and this is zlib's maximum.
  private static let largestCompression = 1_032

  init(_ cipher: any Cipher, _ key: RemoteKey) {
    self.cipher = cipher
    self.key = key
  }

  func encrypted() -> (digest: Digest, size: Int) { (encryptedHasher.finish(), encryptedSize) }

  func begin(into out: any ContentIntake) { self.out = out }

  func write(_ chunk: [UInt8]) async throws(SyncError) {
    encryptedHasher.update(chunk)
    encryptedSize += chunk.count
    guard flaw == nil else { return }
    guard stream == nil else { return try await decrypt(chunk) }
    start += chunk
    if start.count >= Self.enoughToTell { try await begin() }
  }

  func finish() async throws(SyncError) {
    if stream == nil, flaw == nil { try await begin() }
    guard flaw == nil, var stream = stream.take() else { throw flaw ?? Self.readable }
    try await record { output throws(SyncError) in try await stream.finish(into: output) }
    if flaw == nil { prove(stream.label) }
    if let flaw { throw flaw }
  }

  private func begin() async throws(SyncError) {
    guard cipher.isEncrypted(start) else {
      flaw = Self.readable
      return
    }
    do throws(SyncError) { stream = try cipher.decryptor() } catch {
      flaw = error
      return
    }
    try await decrypt(start)
    start = []
  }

  private func decrypt(_ chunk: [UInt8]) async throws(SyncError) {
    guard var stream = stream.take() else { return }
    try await record { output throws(SyncError) in try await stream.update(chunk, into: output) }
    self.stream = stream
  }

  /// Runs `work`, and records its error as the file's flaw, unless it is the sink's.
  private func record(_ work: (CipherOutput) async throws(SyncError) -> Void) async throws(SyncError) {
    do throws(SyncError) {
      try await work { piece throws(SyncError) in try await pass(piece) }
    } catch {
      if let refusal { throw refusal }
      flaw = error
    }
  }

  /// Passes on plain bytes. They are not authenticated yet, so a small file must not expand to a large one.
  private func pass(_ piece: [UInt8]) async throws(SyncError) {
    guard !piece.isEmpty, let out else { return }
    plainSize += piece.count
    let limit = key.format == .current ? encryptedSize : encryptedSize * Self.largestCompression
    guard plainSize <= limit else { throw SyncError.tooLarge(limit) }
    plainHasher.update(piece)
    do throws(SyncError) { try await out.write(piece) } catch {
      refusal = error
      throw error
    }
  }

  /// Checks the label: a device of the remote must have created it for this content.
  private func prove(_ bytes: [UInt8]?) {
    let digest = plainHasher.finish()
    if let label = bytes.flatMap({ Label($0, key) }) {
      guard label.content == digest, label.size == plainSize else {
        flaw = Self.forged
        return
      }
      file = DecryptedFile(
        digest: digest, size: plainSize, number: label.number, place: label.place, path: label.path)
    } else if let label = bytes.flatMap({ UnprovenLabel($0, key) }) {
      file = DecryptedFile(
        digest: digest, size: plainSize, number: label.number, place: label.place, path: label.path)
    } else {
      flaw = Self.foreign
    }
  }

  /// The user's remedy for a damaged or replaced file. Deleting it would sync like any other deletion.
  private static let advice =
    "Encrypt the remote again (rekey) to replace it by the last good version; deleting it deletes the note everywhere"

  private static let readable = SyncError(
    .suspect, "is not encrypted although the remote is; ignored. If it is new, move it into the store. \(advice)")
  private static let foreign = SyncError(.suspect, "was not encrypted by a device of this remote. \(advice)")
  private static let forged = SyncError(
    .suspect,
    "has another content than its label states: it was changed without the key of the remote. \(advice)")
}
