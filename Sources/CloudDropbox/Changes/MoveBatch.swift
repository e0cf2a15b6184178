internal import SyncKit

/// Files that get another name by one call, instead of uploads and removals.
///
/// A move has no condition. So the versions are compared before it, with the changes since the last listing, and after it, with
/// the answer: a version that another client has written in between is moved back. A crash before that leaves it under the new
/// name, where the next pass finds it.
struct MoveBatch {
  let storage: DropboxStorage

  private static let largest = 1_000

  /// The results of the two changes of a move; nil if they must be made one by one.
  typealias Results = (creation: WriteResult, removal: WriteResult)

  /// A file to move, and the version of it that may be moved.
  private struct Move: Sendable {
    var index: Int
    var source: Change
    var target: Change
    var version: Metadata.Version
  }

  private var service: Service { storage.service }

  /// Moves the files, and returns the results of each rename.
  func run(_ renames: [(source: Change, target: Change)]) async throws(SyncError) -> [Results?] {
    var results: [Results?] = renames.map { _ in nil }
    let moves = try await moves(renames)
    for start in stride(from: 0, to: moves.count, by: Self.largest) {
      let part = Array(moves[start..<min(start + Self.largest, moves.count)])
      for (move, result) in try part.paired(with: await carryOut(part), from: storage.address) {
        results[move.index] = result
      }
    }
    return results
  }

  /// The files that still have the expected version under the old name, and nothing under the new one.
  private func moves(_ renames: [(source: Change, target: Change)]) async throws(SyncError) -> [Move] {
    let possible = renames.enumerated().filter { Self.isPossible($0.element.source, $0.element.target) }
    guard !possible.isEmpty else { return [] }
    let tree: RemoteTree
    do throws(CallError) { tree = try await storage.feed.refreshed() } catch {
      if error.error.reach == .pass { throw error.error }
      return []
    }
    let files = Dictionary(tree.files()) { first, _ in first }
    return possible.compactMap { index, rename in
      guard let version = files[rename.source.path], version.rev == rename.source.expectedRev,
        version.hash != nil, files[rename.target.path] == nil
      else { return nil }
      return Move(index: index, source: rename.source, target: rename.target, version: version)
    }
  }

  /// Returns true if Dropbox can hold the new name, and does not take it for the old one, as it does if only the case differs.
  private static func isPossible(_ source: Change, _ target: Change) -> Bool {
    let naming = DropboxFolder.naming
    return source.expectedRev != nil && DropboxFolder.violation(by: target.path) == nil
      && source.path.collisionKey(under: naming) != target.path.collisionKey(under: naming)
  }

  private func carryOut(_ moves: [Move]) async throws(SyncError) -> [Results?] {
    let ends: [BatchEnd]
    do throws(CallError) {
      ends = try await relocate(moves.map { ($0.source.path, $0.target.path) })
    } catch {
      if error.error.reach == .pass { throw error.error }
      guard case .lost = error.kind else { return moves.map { _ in nil } }
      return moves.map { _ in (.unknown(error.error), .unknown(error.error)) }
    }
    return try await mapConcurrently(Array(zip(moves, ends)), atMost: service.parallelism) {
      move, end throws(SyncError) in try await checked(move, end)
    }
  }

  /// Sends one call, and waits for its end.
  private func relocate(_ paths: [(from: SyncPath, to: SyncPath)]) async throws(CallError) -> [BatchEnd] {
    let entries = paths.map { path -> JSON in
      [
        "from_path": .string(storage.folder.path(of: path.from)), "to_path": .string(storage.folder.path(of: path.to)),
      ]
    }
    let argument: JSON = ["entries": .array(entries), "autorename": false]
    let ends = try await service.job("files/move_batch_v2", argument, checkedBy: "files/move_batch/check_v2")
    guard ends.count == paths.count else {
      throw CallError(
        kind: .lost,
        error: SyncError(.unavailable, "Dropbox did not report what happened to \(paths.count.counted("file"))"))
    }
    return ends
  }

  /// Checks what was moved.
  private func checked(_ move: Move, _ end: BatchEnd) async throws(SyncError) -> Results? {
    // A move that was refused has changed nothing.
    guard end.isSuccess else { return nil }
    guard let metadata = end.metadata, let moved = metadata.version else {
      let error = SyncError(.unavailable, "Dropbox did not report what happened to \(move.target.path)")
      return (.unknown(error), .unknown(error))
    }
    let written = storage.writtenPath(of: metadata)
    guard moved.hash == move.version.hash, written == nil || written == move.target.path else {
      return try await movedBack(move)
    }
    var entry = storage.entry(of: moved, at: move.target.path)
    entry.digest = move.target.content?.digest
    return (.done(entry), .done(nil))
  }

  /// Moves a version back that was not the expected one, or got another name than intended.
  private func movedBack(_ move: Move) async throws(SyncError) -> Results {
    let reason = "\(move.source.path) was changed on Dropbox meanwhile"
    do throws(CallError) {
      let ends = try await relocate([(move.target.path, move.source.path)])
      if let end = ends.first, end.isSuccess, let version = end.metadata?.version {
        return (.postponed(reason), .refused(storage.entry(of: version, at: move.source.path)))
      }
    } catch { if error.error.reach == .pass { throw error.error } }
    // It is under the new name, where the next pass finds it.
    let error = SyncError(.changedMeanwhile, reason)
    return (.unknown(error), .unknown(error))
  }
}

extension Service {
  private static var pauses: (first: Duration, longest: Duration) { (.milliseconds(50), .seconds(2)) }
  /// The number of polls for the end of a batch: about five minutes.
  private static var questions: Int { 160 }

  /// Sends a batch that changes something, while no other change of the account is in progress, and waits for its end. Returns the
  /// ends of its entries; none if the batch as a whole failed.
  func job(_ route: String, _ argument: JSON, checkedBy check: String) async throws(CallError) -> [BatchEnd] {
    try await inTurn { () async throws(CallError) in
      var job: Job = try await change(route, argument)
      guard job.tag == "async_job_id", let id = job.id else { return job.entries ?? [] }
      var pause = Self.pauses.first
      for _ in 0..<Self.questions {
        job = try await ask(check, ["async_job_id": .string(id)])
        guard job.tag == "in_progress" else { break }
        try await sleep(for: pause)
        pause = min(pause * 2, Self.pauses.longest)
      }
      return job.entries ?? []
    }
  }
}
