internal import SyncKit
import Synchronization

/// Opens what a storage reads on its way into another sink. The storage is told the digests of the sealed bytes, under
/// which is then found what became of each file: which file it is, only the storage's results tell.
final class OpeningSink: ContentSink {
  /// A file that was opened, and whose end was proved.
  struct Opened: Sendable {
    var digest: Digest
    var size: Int
    var label: [UInt8]?
  }

  private let cipher: any Cipher
  private let sink: any ContentSink
  private let found = Mutex<[Digest: Result<Opened, SyncError>]>([:])

  init(_ cipher: any Cipher, into sink: any ContentSink) {
    self.cipher = cipher
    self.sink = sink
  }

  /// What became of the file whose sealed bytes have this digest.
  func outcome(of sealed: Digest) -> Result<Opened, SyncError>? { found.withLock { $0[sealed] } }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = OpeningIntake(cipher)
    var outcome: Result<Opened, SyncError>
    do throws(SyncError) {
      let (digest, size) = try await sink.receive(size: size) { out throws(SyncError) in
        await intake.begin(into: out)
        try await body(intake)
        try await intake.finish()
      }
      outcome = .success(Opened(digest: digest, size: size, label: await intake.label))
    } catch {
      // What is wrong with the file itself is no trouble of the storage, which has read it whole.
      guard let trouble = await intake.trouble else { throw error }
      outcome = .failure(trouble)
    }
    let sealed = await intake.sealed()
    found.withLock { $0[sealed.digest] = outcome }
    return sealed
  }
}

/// One file on its way through the cipher.
private actor OpeningIntake: ContentIntake {
  private let cipher: any Cipher
  private var out: (any ContentIntake)?
  private var stream: (any CipherStream)?
  private var hasher = DigestHasher()
  private var size = 0
  /// The first bytes, until there are enough to tell whether the file is sealed at all.
  private var start: [UInt8] = []
  /// What is wrong with the file; the rest of it is read all the same, so that the storage sees it whole.
  private(set) var trouble: SyncError?

  private static let enoughToTell = 256

  init(_ cipher: any Cipher) { self.cipher = cipher }

  var label: [UInt8]? { stream?.label }

  func sealed() -> (digest: Digest, size: Int) { (hasher.finish(), size) }

  func begin(into out: any ContentIntake) { self.out = out }

  func write(_ chunk: [UInt8]) async throws(SyncError) {
    hasher.update(chunk)
    size += chunk.count
    guard trouble == nil else { return }
    guard stream == nil else { return try await pour(chunk) }
    start += chunk
    if start.count >= Self.enoughToTell { try await open() }
  }

  func finish() async throws(SyncError) {
    if stream == nil, trouble == nil { try await open() }
    guard trouble == nil, var stream = stream.take() else { throw trouble ?? Self.readable }
    let rest: [UInt8]
    do throws(SyncError) { rest = try await stream.finish() } catch {
      trouble = error
      throw error
    }
    self.stream = stream
    try await out?.write(rest)
  }

  private func open() async throws(SyncError) {
    guard cipher.isSealed(start) else {
      trouble = Self.readable
      return
    }
    do throws(SyncError) { stream = try cipher.opening() } catch {
      trouble = error
      return
    }
    try await pour(start)
    start = []
  }

  private func pour(_ chunk: [UInt8]) async throws(SyncError) {
    guard var stream = stream.take() else { return }
    let plain: [UInt8]
    do throws(SyncError) { plain = try await stream.update(chunk) } catch {
      trouble = error
      return
    }
    self.stream = stream
    if !plain.isEmpty { try await out?.write(plain) }
  }

  private static let readable = SyncError(
    .suspect, "lies readable among sealed files; it is left alone. Move it into the store, or away")
}
