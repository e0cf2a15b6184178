internal import SyncKit

extension Writing {
  /// Puts a new file in its place. Whoever is there already stays.
  func create(_ content: Content) async throws(SyncError) -> WriteResult {
    traits.createsDirectly ? try await put(content, if: .absent) : try await createByMoving(content)
  }

  /// PUT under a condition that the server was seen to heed to the end.
  func put(_ content: Content, if precondition: Preconditions) async throws(SyncError) -> WriteResult {
    let outcome = try await withParents { () throws(SyncError) in
      try await server.put(ContentBody(content: content), at: url, if: precondition)
    }
    switch outcome {
    case .answered(let answer) where answer.isGood: return try await settled(content)
    case .answered(let answer): return try await refused(answer.status, "PUT")
    case .notSent(let error): return .failed(error)
    case .lost(let error): return try await settled(content, afterDoubt: error)
    }
  }

  /// What a status means that is no success: somebody was faster, or something is wrong.
  func refused(_ status: Int, _ method: String) async throws(SyncError) -> WriteResult {
    switch status {
    case 412, 424: return try await refusal()
    case 405, 409:
      guard case .success(let sighting?) = try await sighting(), sighting.facts.isFolder else { break }
      return refusal(sighting)
    default: break
    }
    return failure(status, method)
  }

  /// A complete upload, moved to a name that has to be free. Without a proof that MOVE keeps from overwriting this is
  /// only reached with the person's consent.
  private func createByMoving(_ content: Content) async throws(SyncError) -> WriteResult {
    guard case .success(nil) = try await sighting() else { return try await refusal() }
    return try await withUpload(of: content) { temporary throws(SyncError) in
      try await moveIn(temporary, content, overwriting: false, if: .none)
    }
  }

  /// Moves a complete upload to the file's name.
  func moveIn(
    _ temporary: SyncPath, _ content: Content, overwriting: Bool, if precondition: Preconditions
  ) async throws(SyncError) -> WriteResult {
    let outcome = try await server.move(
      server.address.file(temporary), to: url, overwriting: overwriting, if: precondition)
    switch outcome {
    case .answered(let answer) where answer.isGood: return try await settled(content)
    case .answered(let answer): return try await refused(answer.status, "MOVE")
    case .notSent(let error): return .failed(error)
    case .lost(let error): return try await settled(content, afterDoubt: error)
    }
  }
}
