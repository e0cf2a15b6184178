import SyncKit
import Synchronization

/// An object store in memory that lists in pages, counts its requests, and fails on demand.
struct MemoryObjects: ObjectStore {
  /// The objects of the store, and the requests.
  final class Bucket: Sendable {
    struct State {
      var objects: [SyncPath: (etag: String, bytes: [UInt8])] = [:]
      var count = 0
      var calls: [String: Int] = [:]
      var running = 0
      var mostRunning = 0
    }

    let state = Mutex(State())
  }

  let bucket = Bucket()
  let address = "memory-objects:"
  var parallelism = 4
  var pageSize = 3
  /// False if a PUT does not return the stored version.
  var tellsVersions = true
  var keepsConditions = true
  /// The error of a PUT or DELETE, and true if the change was made nevertheless.
  var lost: (error: SyncError, isMade: Bool)?
  /// The token of the next page; nil for the correct one.
  var nextPage: String?
  /// The bytes that a GET of an object returns.
  var served: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  /// Objects that are listed in addition.
  var extra: [(name: [UInt8], version: ObjectVersion)] = []

  func list(page token: String?) async throws(SyncError) -> ObjectPage {
    count("list")
    let all = bucket.state.withLock { state in
      state.objects.sorted { $0.key < $1.key }.map {
        (name: $0.key.bytes, etag: $0.value.etag, size: $0.value.bytes.count)
      }
    }
    let start = token.flatMap { Int($0) } ?? 0
    let page = all.dropFirst(start).prefix(pageSize).map {
      (name: $0.name, version: ObjectVersion(etag: $0.etag, size: $0.size))
    }
    let end = start + page.count
    return ObjectPage(page + (token == nil ? extra : []), next: nextPage ?? (end < all.count ? "\(end)" : nil))
  }

  func get(_ path: SyncPath, into intake: any ContentIntake) async throws(SyncError) -> ObjectVersion? {
    begin("get")
    defer { end() }
    await Task.yield()
    guard let found = bucket.state.withLock({ $0.objects[path] }) else { return nil }
    try await intake.write(served(found.bytes))
    return ObjectVersion(etag: found.etag, size: found.bytes.count)
  }

  func put(_ content: Content, at path: SyncPath, if condition: Condition) async throws(SyncError) -> ObjectChange {
    begin("put")
    defer { end() }
    let bytes = try await content.bytes()
    let isOwn = path.name.starts(with: Array(".syncd-".utf8))
    if !isOwn, let lost, !lost.isMade { throw lost.error }
    guard let etag = bucket.state.withLock({ change(&$0, path, bytes, if: condition) }) else { return .refused }
    if !isOwn, let lost { throw lost.error }
    return .done(tellsVersions ? ObjectVersion(etag: etag, size: bytes.count) : nil)
  }

  func delete(_ path: SyncPath, if etag: Revision) async throws(SyncError) -> ObjectChange {
    begin("delete")
    defer { end() }
    let isOwn = path.name.starts(with: Array(".syncd-".utf8))
    if !isOwn, let lost, !lost.isMade { throw lost.error }
    guard bucket.state.withLock({ change(&$0, path, nil, if: .unchanged(etag)) }) != nil else { return .refused }
    if !isOwn, let lost { throw lost.error }
    return .done(nil)
  }

  /// Makes a change; returns the new etag, or nil if the condition does not hold.
  private func change(_ state: inout Bucket.State, _ path: SyncPath, _ bytes: [UInt8]?, if condition: Condition)
    -> String?
  {
    let current = state.objects[path].map { Condition.unchanged(Revision($0.etag)) } ?? .absent
    guard current == condition || !keepsConditions else { return nil }
    state.count += 1
    state.objects[path] = bytes.map { ("\"\(state.count)\"", $0) }
    return "\"\(state.count)\""
  }

  func calls(_ verb: String) -> Int { bucket.state.withLock { $0.calls[verb] ?? 0 } }

  private func count(_ verb: String) { bucket.state.withLock { $0.calls[verb, default: 0] += 1 } }

  private func begin(_ verb: String) {
    bucket.state.withLock {
      $0.calls[verb, default: 0] += 1
      $0.running += 1
      $0.mostRunning = max($0.mostRunning, $0.running)
    }
  }

  private func end() { bucket.state.withLock { $0.running -= 1 } }
}
