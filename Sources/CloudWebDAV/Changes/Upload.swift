internal import HTTPStorage
internal import SyncKit

/// A complete upload beside its final path.
struct Upload: Sendable {
  var path: SyncPath
  /// The evidence that later proves that it is ours.
  var evidence: Evidence
}

extension FileWrite {
  /// Uploads a content beside the file and runs `work` with it; removes the upload if it remains.
  func withUpload(
    of content: Content, _ work: (Upload) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult {
    guard let temporary = temporary() else {
      return .cannot("the name is too long for a temporary name beside \(path)")
    }
    state.use(temporary)
    defer { state.release(temporary) }
    let result: Result<WriteResult, SyncError>
    do throws(SyncError) { result = .success(try await upload(content, to: temporary, then: work)) } catch {
      result = .failure(error)
    }
    if case .success(.done) = result { return try result.get() }
    // Even if the task was cancelled; a later pass removes what cannot be removed now.
    let (server, address) = (server, server.address.file(temporary))
    _ = await Task { try? await server.deleteUpload(address) }.value
    return try result.get()
  }

  /// Returns a name that no other client chooses; it contains the device, so that each device removes its own after a crash. It
  /// begins with a dot only if the server lists such names, because leftovers would otherwise stay unnoticed.
  func temporary() -> SyncPath? {
    let beginning = traits.listsDotNames ? "" : "upload"
    return path.sibling(
      Array("\(beginning).syncd-\(storage.device)-\(server.runtime.uniqueName(length: 12)).tmp".utf8))
  }

  private func upload(
    _ content: Content, to temporary: SyncPath, then work: (Upload) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult {
    let address = server.address.file(temporary)
    let outcome = try await withParents { () throws(SyncError) in
      try await server.put(ContentBody(content: content), at: address)
    }
    switch outcome {
    case .answered(let answer) where answer.isGood: break
    case .answered(let answer): return failure(answer.status, "PUT")
    case .notSent(let error), .lost(let error): return .failed(error)
    }
    // A status does not prove it: some servers answer 204 with a full disk and keep a part.
    guard case .there(let observation) = try await server.lookUp(temporary), observation.facts.size == content.size
    else {
      return .failed(
        SyncError(
          .pathFailed,
          "\(storage.address) stores other content than it is sent for \(path); encrypt the remote, or exclude the file"
        ))
    }
    return try await work(Upload(path: temporary, evidence: .upload(observation)))
  }

  /// Sends a request that needs the parent folders; creates them if they turn out to be missing, and repeats it, also if another
  /// client was faster to create them.
  ///
  /// - Parameter missing: the statuses that mean a missing folder, even if another client has created it since.
  func withParents(
    missing: Set<Int> = [404, 409], _ send: () async throws(SyncError) -> Outcome
  ) async throws(SyncError) -> Outcome {
    try await makeParents()
    var outcome = try await send()
    for attempt in 1...Self.repetitions {
      // Servers report a missing folder in many ways: 409, 404, 403, and 500 by nginx.
      guard [403, 404, 409, 500].contains(outcome.status), path.parent != nil else { return outcome }
      state.forget(path.ancestors)
      let isNew = try await makeParents()
      // Another client may have created it meanwhile. The other answers then often have another cause.
      guard isNew || missing.contains(outcome.status) || outcome.status == 500 && attempt == 1 else { return outcome }
      outcome = try await send()
    }
    return outcome
  }

  /// The number of times that a request is repeated whose folder is missing.
  private static var repetitions: Int { 3 }

  /// Creates the parent folders from the root down; returns true if one was created.
  @discardableResult
  func makeParents() async throws(SyncError) -> Bool {
    var madeOne = false
    for folder in path.ancestors.reversed() {
      let isNew = try await storage.makeFolder(folder)
      madeOne = madeOne || isNew
    }
    return madeOne
  }
}

extension WebDAVStorage {
  /// Creates a folder in an existing parent, unless it is known to exist; returns true if it was created.
  func makeFolder(_ folder: SyncPath) async throws(SyncError) -> Bool {
    if state.knows(folder: folder) { return false }
    return try await state.locks.withLock(folder.description + "/") { () throws(SyncError) in
      guard !state.knows(folder: folder) else { return false }
      let outcome = try await server.makeFolder(server.address.folder(folder))
      // 405 means that something exists; a later request inside it shows what it is.
      if outcome.isGood || outcome.status == 405 { state.record(folder: folder) }
      return outcome.isGood
    }
  }
}
