internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// The removal of one version of a file.
struct Removal: Sendable {
  let files: S3Files
  let traits: Traits
  let path: SyncPath

  private static let attempts = 4

  private var service: Service { files.service }
  private var key: [UInt8] { service.bucket.key(of: path) }

  /// Removes the version with a tag.
  func run(_ tag: String, _ revision: Revision) async throws(SyncError) -> WriteResult {
    guard traits.isSafe else { return try await runUnsafely(revision) }
    return traits.removal == .condition
      ? try await removeUnderCondition(tag, revision) : try await removeInTwoSteps(tag, revision)
  }

  // MARK: DELETE with a condition

  private func removeUnderCondition(_ tag: String, _ revision: Revision) async throws(SyncError) -> WriteResult {
    var call = Call("DELETE", key: key)
    call.headers = [TagCondition.tag(traits.header(tag)).header]
    var isUncertain = false
    for attempt in 1...Self.attempts {
      let outcome = try await service.change(call)
      switch outcome {
      case .notSent(let error): return .failed(error)
      case .lost: isUncertain = true
      case .answered(let answer):
        if answer.isGood { return .done(nil) }
        if answer.isTemporary {
          isUncertain = true
        } else if ![404, 409, 412].contains(answer.status) {
          let error = await service.syncError(answer, "DELETE", path)
          if error.reach == .pass { throw error }
          return .failed(error)
        }
      }
      switch try await lookUp() {
      case .failure(let error): return isUncertain ? .unknown(error) : .failed(error)
      case .success(.file(let facts)) where facts.revision == revision: break
      case .success(.file(let facts)): return .refused(facts.entry(at: path))
      case .success(.absent), .success(.tombstone): return isUncertain ? .done(nil) : .refused(nil)
      }
      try await service.pauseRandomly(upTo: .milliseconds(100 << attempt))
    }
    return .unknown(SyncError(.unavailable, "\(files.address) does not remove \(path); syncd tries again later"))
  }

  // MARK: Tombstones

  private func removeInTwoSteps(_ tag: String, _ revision: Revision) async throws(SyncError) -> WriteResult {
    let name = service.runtime.uniqueName(length: 26)
    for attempt in 1...Self.attempts {
      let outcome = try await service.change(tombstone(name, if: tag))
      if case .answered(let answer) = outcome, answer.isGood {
        await complete(at: answer.date)
        return .done(nil)
      }
      if case .notSent(let error) = outcome { return .failed(error) }
      if case .answered(let answer) = outcome, !answer.isTemporary, ![404, 409, 412].contains(answer.status) {
        let error = await service.syncError(answer, "PUT", path)
        if error.reach == .pass { throw error }
        return .failed(error)
      }
      switch try await lookUp() {
      case .failure(let error): return .unknown(error)
      case .success(.tombstone(let facts, let date)) where facts.tombstone == name:
        await complete(facts, at: date)
        return .done(nil)
      case .success(.file(let facts)) where facts.revision == revision: break
      case .success(let other): return .refused(other.entry(at: path))
      }
      try await service.pauseRandomly(upTo: .milliseconds(100 << attempt))
    }
    return .unknown(SyncError(.unavailable, "\(files.address) does not remove \(path); syncd tries again later"))
  }

  private func tombstone(_ name: String, if tag: String) -> Call {
    var call = Call.put(
      Tombstone.content(name, device: files.device), at: key, if: .tag(traits.header(tag)))
    call.headers += files.uploadHeaders + [HTTPHeader(Header.tombstone, name)]
    return call
  }

  /// Removes our tombstone, which was stored at this time by the server's clock. Sent once; if it fails, the tombstone stays
  /// until a device replaces it.
  private func complete(at date: Timestamp?) async {
    guard traits.removal == .twoSteps, let date else { return }
    _ = try? await service.change(
      Call("DELETE", key: key), signedAt: date, expiringAfter: Int(Tombstone.expiry))
  }

  /// The same for a tombstone whose answer was lost: it was stored when the object says so.
  private func complete(_ facts: ObjectFacts, at date: Timestamp?) async {
    guard let date, let modified = facts.modified, date.seconds - modified.seconds < Tombstone.expiry else { return }
    await complete(at: modified)
  }

  /// Removes a tombstone that another device has left behind, as a file is removed.
  func tidy(_ old: ObjectFacts) async throws(SyncError) {
    guard traits.removal == .twoSteps, case .tombstone(let facts, let date) = try await files.lookUp(path),
      facts.tag == old.tag, Tombstone.canBeReplaced(facts, at: date, traits)
    else { return }
    _ = try await removeInTwoSteps(facts.tag, facts.revision)
  }

  // MARK: Without conditions

  private func runUnsafely(_ revision: Revision) async throws(SyncError) -> WriteResult {
    let present = try await files.lookUp(path).entry(at: path)
    guard present?.revision == revision else { return .refused(present) }
    switch try await service.change(Call("DELETE", key: key)) {
    case .notSent(let error): return .failed(error)
    case .lost(let error): return .unknown(error)
    case .answered(let answer) where answer.isGood: return .done(nil)
    case .answered(let answer): return .failed(await service.syncError(answer, "DELETE", path))
    }
  }

  private func lookUp() async throws(SyncError) -> Result<S3Files.Lookup, SyncError> {
    do throws(SyncError) { return .success(try await files.lookUp(path)) } catch {
      if error.reach == .pass { throw error }
      return .failure(error)
    }
  }
}
