internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// The files in a bucket, one at a time.
struct S3Files: FileService {
  let service: Service
  let state: S3State
  let device: String
  let allowsUnsafeWrites: Bool
  /// Additional headers of each upload: storage class and encryption by the server.
  let uploadHeaders: [HTTPHeader]

  var address: String { service.bucket.address }

  func capabilities() async throws(SyncError) -> Capabilities {
    (try await state.traits() ?? Traits()).capabilities(service.bucket, parallelism: service.parallelism)
  }

  /// The storage around these files lists them.
  func list(since known: Known) async throws(SyncError) -> Snapshot {
    throw SyncError(.unexpected, "files are listed by the storage (backend bug)")
  }

  // MARK: Looking up

  /// The result of a lookup by name.
  enum Lookup: Sendable {
    case file(ObjectFacts)
    case tombstone(ObjectFacts, date: Timestamp?)
    case absent

    /// The entry of a file; nil for none.
    func entry(at path: SyncPath) -> Entry? { if case .file(let facts) = self { facts.entry(at: path) } else { nil } }
  }

  func lookUp(_ path: SyncPath) async throws(SyncError) -> Lookup {
    let key = service.bucket.key(of: path)
    guard service.bucket.naming.violation(by: path) == nil else { return .absent }
    for _ in 0..<3 {
      if let (facts, date) = try await service.head(key, path) {
        return facts.tombstone == nil ? .file(facts) : .tombstone(facts, date: date)
      }
      if try await service.isAbsent(key) { return .absent }
    }
    throw SyncError(
      .unavailable, "\(address) lists \(path) and does not find it; syncd tries again later")
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await lookUp(path).entry(at: path).map(Presence.present) ?? .absent
  }

  // MARK: Reading

  func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    guard service.bucket.naming.violation(by: path) == nil else { return .absent }
    if path == S3State.marker, let (entry, bytes) = state.marker() {
      var entry = entry
      entry.digest = try await sink.receive(bytes)
      return .read(entry)
    }
    var last = ReadResult.postponed("\(path) did not arrive completely")
    for _ in 0..<3 {
      let (result, declared) = try await fetch(path, into: sink)
      if case .read(let entry) = result, let declared, let found = entry.digest, found != declared {
        try await state.record(damaged: path, declared)
        return .failed(damage(of: path, found: found))
      }
      guard case .postponed = result else { return result }
      last = result
    }
    return last
  }

  /// Reads an object once, and returns also the digest in its metadata.
  func fetch(
    _ path: SyncPath, into sink: any ContentSink
  ) async throws(SyncError) -> (result: ReadResult, declared: Digest?) {
    var call = Call("GET", key: service.bucket.key(of: path))
    call.answerLimit = .max
    let response: HTTPResponse
    switch try await service.ask(call) {
    case .bad(let answer) where answer.status == 404 && answer.failure?.code != "NoSuchBucket": return (.absent, nil)
    case .bad(let answer): throw await service.syncError(answer, "GET", path)
    case .good(let good): response = good
    }
    guard response.status == 200, let facts = ObjectFacts(headers: { response.header($0) }) else {
      let error = SyncError(.unavailable, "the answer of \(address) to GET of \(path) has no entity tag or no size")
      return (.failed(error), nil)
    }
    guard facts.tombstone == nil else { return (.absent, nil) }
    let copy = MarkerCopy(isWanted: path == S3State.marker && facts.size <= 1 << 16)
    let received: (digest: Digest, size: Int)
    do throws(SyncError) {
      received = try await sink.receive(size: facts.size) { intake throws(SyncError) in
        while let chunk = try await next(of: response) {
          copy.append(chunk)
          try await intake.write(chunk)
        }
      }
    } catch {
      guard error.code == .unavailable else { throw error }
      return (.postponed("\(path) did not arrive completely: \(error.message)"), nil)
    }
    guard received.size == facts.size else { return (.postponed("\(path) did not arrive completely"), nil) }
    var entry = facts.entry(at: path)
    entry.digest = received.digest
    if let bytes = copy.bytes { state.record(marker: entry, bytes) }
    return (.read(entry), facts.digest)
  }

  private func next(of response: HTTPResponse) async throws(SyncError) -> [UInt8]? {
    do throws(HTTPError) { return try await response.next() } catch { throw service.syncError(error, "GET") }
  }

  // MARK: Changing

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    if let violation = service.bucket.naming.violation(by: path) { return .cannot(violation) }
    guard content.size <= Upload.largest else { return .cannot("S3 accepts at most 5 GiB in one upload") }
    let traits = try await state.provenTraits(of: service, allowsUnsafeWrites: allowsUnsafeWrites)
    let upload = Upload(files: self, traits: traits, path: path, content: content)
    return try await upload.run(if: condition)
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    guard case .unchanged(let revision) = condition else {
      let entry = try await lookUp(path).entry(at: path)
      return entry == nil ? .done(nil) : .refused(entry)
    }
    let traits = try await state.provenTraits(of: service, allowsUnsafeWrites: allowsUnsafeWrites)
    return try await Removal(files: self, traits: traits, path: path).run(ObjectFacts.tag(in: revision), revision)
  }
}

/// Copies a small content while it is received.
private final class MarkerCopy: Sendable {
  private let held: Mutex<[UInt8]?>

  init(isWanted: Bool) { held = Mutex(isWanted ? [] : nil) }

  func append(_ chunk: [UInt8]) { held.withLock { $0? += chunk } }

  var bytes: [UInt8]? { held.withLock { $0 } }
}
