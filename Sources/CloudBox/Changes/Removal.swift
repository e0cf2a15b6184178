internal import HTTPStorage
internal import SyncKit

/// Removes one file, if it has the expected version. The file goes to Box's trash.
struct Removal {
  let storage: BoxStorage
  let change: Change

  private static let attempts = 3

  private var service: Service { storage.service }

  func run() async throws(SyncError) -> WriteResult {
    guard case .unchanged(let revision) = change.condition, let expected = revision.boxVersion,
      var target = try await target()
    else { return try await storage.refusal(of: change) }
    var etag = expected.etag
    var wasLost = false
    for attempt in 1... {
      let outcome = try await service.locks.withLock("in \(change.path.parent?.description ?? "")") {
        () throws(SyncError) in
        try await service.change("DELETE", "files/\(target)", match: etag)
      }
      if outcome.isRemoval { return done(target) }
      let isLost = outcome.isLost || outcome.isGood
      if isLost {
        wasLost = true
        if attempt < Self.attempts { continue }
      }
      switch outcome {
      case .notSent(let error): return wasLost ? .unknown(error) : .failed(error)
      case .answered(let answer) where ![404, 409, 412].contains(answer.status) && !isLost:
        return storage.result(of: answer, change.path)
      case .answered, .lost: break
      }
      switch try await storage.lookup.find(change.path) {
      case .absent, .spelledOtherwise, .other: return wasLost ? done(target) : .refused(nil)
      case .unclear(let error): return .unknown(error)
      case .file(let item):
        guard let version = item.version else { return .refused(nil) }
        // Its etag also changes with its description; the content is still the expected one.
        guard version.sha1 == expected.sha1, attempt < Self.attempts else {
          return wasLost && version.revision == revision
            ? .unknown(SyncError(.unavailable, "Box did not report what happened to \(change.path)"))
            : .refused(BoxStorage.entry(of: version, at: change.path))
        }
        (target, etag) = (item.id, version.etag)
      }
    }
    preconditionFailure("a loop without an end has ended")
  }

  private func done(_ id: String) -> WriteResult {
    storage.feed.remove(id)
    return .done(nil)
  }

  /// The id of the file; nil if there is none.
  private func target() async throws(SyncError) -> String? {
    if let (id, node) = try await storage.feed.tree()[change.path], case .file = node.kind { return id }
    guard case .file(let item) = try await storage.lookup.find(change.path) else { return nil }
    return item.id
  }
}
