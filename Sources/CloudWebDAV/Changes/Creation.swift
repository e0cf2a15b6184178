internal import HTTPStorage
internal import SyncKit

extension FileWrite {
  /// Creates a new file. An existing file stays.
  func create(_ content: Content) async throws(SyncError) -> WriteResult {
    let result = try await createOnce(content)
    // A folder without files is worthless; it may remain from its last file.
    guard case .failed(let error) = result, error.code == .pathFailed, try await removeEmptyFolder() else {
      return result
    }
    return try await createOnce(content)
  }

  private func createOnce(_ content: Content) async throws(SyncError) -> WriteResult {
    traits.createsDirectly ? try await put(content, if: .absent) : try await createByMoving(content)
  }

  /// Sends PUT under a condition that the server was seen to check to the end.
  ///
  /// - Parameter lock: the lock under which it is sent.
  func put(
    _ content: Content, if precondition: Preconditions, under lock: HeldLock? = nil
  ) async throws(SyncError) -> WriteResult {
    let outcome = try await withParents { () throws(SyncError) in
      try await server.put(ContentBody(content: content), at: url, if: precondition, before: lock?.end)
    }
    switch outcome {
    case .answered(let answer) where answer.isGood:
      var evidence = Evidence.upload(outcome)
      evidence.lock = lock?.token
      return try await resolved(content, by: evidence)
    case .answered(let answer): return try await refused(answer.status, "PUT", content)
    case .notSent(let error): return .failed(error)
    case .lost(let error): return try await resolved(content, afterDoubt: error)
    }
  }

  /// Returns the result for a status other than success: another client was faster, or there is an error.
  ///
  /// - Parameter content: the content that was sent, if it may have been sent twice: then this device may have written it.
  func refused(_ status: Int, _ method: String, _ content: Content? = nil) async throws(SyncError) -> WriteResult {
    switch status {
    case 412, 424:
      let refusal = try await refusal()
      if case .unchanged(let revision) = condition, case .refused(let entry?) = refusal, entry.revision == revision,
        traits.reliesOnConditions
      {
        // The expected version is present: the server rejects a valid condition, for example because its tags are weak by now.
        try await state.doubtTraits(at: server.runtime.now())
      }
      guard let content, case .refused(let entry?) = refusal, entry.size == content.size else { return refusal }
      let result = try await resolved(content, afterDoubt: server.syncError(status, method, path))
      if case .unknown = result { return refusal }
      return result
    case 405, 409:
      guard case .success(let observation?) = try await observation(), observation.facts.isFolder else { break }
      return refusal(observation)
    default: break
    }
    return failure(status, method)
  }

  /// Uploads the file and moves it to its name, which must be free. If MOVE may overwrite, which requires the user's consent, a
  /// check must follow.
  private func createByMoving(_ content: Content) async throws(SyncError) -> WriteResult {
    if !traits.movesWithoutOverwriting {
      guard case .success(nil) = try await observation() else { return try await refusal() }
    }
    return try await withUpload(of: content) { upload throws(SyncError) in
      try await moveIn(upload, content, overwriting: false, if: .none)
    }
  }

  /// Moves a complete upload to the file's name.
  func moveIn(
    _ upload: Upload, _ content: Content, overwriting: Bool, if precondition: Preconditions
  ) async throws(SyncError) -> WriteResult {
    let outcome = try await server.repeating(after: overwriting ? [] : Server.briefRefusals) { () throws(SyncError) in
      try await server.moveUpload(
        server.address.file(upload.path), to: url, overwriting: overwriting, if: precondition)
    }
    switch outcome {
    case .answered(let answer) where answer.isGood:
      let result = try await resolved(content, by: upload.evidence)
      guard case .unknown = result else { return result }
      return try await refusedByFolder(upload) ?? result
    case .answered(let answer) where answer.status == 404:
      return try await resolved(content, afterDoubt: server.syncError(404, "MOVE", upload.path))
    case .answered(let answer): return try await refused(answer.status, "MOVE")
    case .notSent(let error): return .failed(error)
    case .lost(let error): return try await resolved(content, afterDoubt: error)
    }
  }

  /// Returns the refusal if a folder has the file's name; nil otherwise. lighttpd then moves the upload into the folder, from where
  /// it is removed again.
  func refusedByFolder(_ upload: Upload) async throws(SyncError) -> WriteResult? {
    guard case .success(let observation?) = try await observation(), observation.facts.isFolder else { return nil }
    if let inside = path.appending(Array(upload.path.name)) {
      _ = try await server.deleteUpload(server.address.file(inside))
    }
    return refusal(observation)
  }
}
