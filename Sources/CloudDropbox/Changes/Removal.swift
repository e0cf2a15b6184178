internal import SyncKit

/// Removes one file, if it has the expected version.
struct Removal {
  let storage: DropboxStorage
  let change: Change
  /// True if it may have been carried out already, and the answer was lost.
  var mayBeDone = false

  private var service: Service { storage.service }

  /// The argument of the call: the path, and the `rev` that must be in place.
  static func argument(_ path: String, _ rev: String) -> JSON {
    ["path": .string(path), "parent_rev": .string(rev)]
  }

  func run() async throws(SyncError) -> WriteResult {
    guard let rev = change.expectedRev else { return try await resolve(isDone: false) }
    let argument = Self.argument(storage.folder.path(of: change.path), rev)
    var wasLost = mayBeDone
    for attempt in 1... {
      do throws(CallError) {
        let _: Changed = try await service.inTurn { () async throws(CallError) in
          try await service.change("files/delete_v2", argument)
        }
        return .done(nil)
      } catch {
        if error.error.reach == .pass { throw error.error }
        if case .lost = error.kind, attempt == 1 {
          wasLost = true
          continue
        }
        return try await result(of: error, wasLost: wasLost)
      }
    }
    preconditionFailure("a loop without an end has ended")
  }

  /// The result of a failed removal.
  func result(of failure: CallError, wasLost: Bool) async throws(SyncError) -> WriteResult {
    switch failure.kind {
    case .notDone, .rootMoved: return wasLost ? .unknown(failure.error) : .failed(failure.error)
    case .lost: return try await resolve(isDone: true, else: .unknown(failure.error))
    case .refused(let refusal):
      guard refusal.isNotFound || refusal.isConflict else {
        return .failed(refusal.error(at: change.path.description))
      }
      return try await resolve(isDone: wasLost)
    }
  }

  /// - Parameters:
  ///   - isDone: true if a missing file counts as removed by us.
  ///   - unchanged: the result if the file is still there.
  private func resolve(isDone: Bool, else unchanged: WriteResult? = nil) async throws(SyncError) -> WriteResult {
    switch await storage.lookUp(change.path) {
    case .absent, .other: return isDone ? .done(nil) : .refused(nil)
    case .file(let version):
      if let unchanged, change.condition == .unchanged(version.revision) { return unchanged }
      return .refused(storage.entry(of: version, at: change.path))
    case .unclear(let failure):
      if failure.error.reach == .pass { throw failure.error }
      return .unknown(failure.error)
    }
  }
}

/// Removes many files with few calls. Files that fail are removed one by one.
struct RemovalBatch {
  let storage: DropboxStorage

  private static let largest = 1_000

  private var service: Service { storage.service }

  func run(_ changes: [Change]) async throws(SyncError) -> [BatchResult] {
    var results: [BatchResult] = []
    for start in stride(from: 0, to: changes.count, by: Self.largest) {
      let part = Array(changes[start..<min(start + Self.largest, changes.count)])
      do throws(CallError) {
        let ends = try await remove(part)
        results += part.indices.map {
          ends.isEmpty || !ends[$0].isSuccess ? .open(mayBeDone: false) : .resolved(.done(nil))
        }
      } catch {
        if error.error.reach == .pass { throw error.error }
        let isLost = if case .lost = error.kind { true } else { false }
        results += part.map { _ in error.isFinal ? .resolved(.failed(error.error)) : .open(mayBeDone: isLost) }
      }
    }
    return results
  }

  private func remove(_ changes: [Change]) async throws(CallError) -> [BatchEnd] {
    let entries = changes.map { change in
      Removal.argument(storage.folder.path(of: change.path), change.expectedRev ?? "")
    }
    let ends = try await service.job(
      "files/delete_batch", ["entries": .array(entries)], checkedBy: "files/delete_batch/check")
    return ends.count == changes.count ? ends : []
  }
}
