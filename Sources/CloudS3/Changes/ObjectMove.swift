internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A file that gets another name by a copy on the server and a removal, instead of an upload.
///
/// The copy names the version under the old name and requires that the new name is free, so nothing is overwritten. If another
/// writer changes the file before it is removed, the copy is removed again, and the next pass applies the edit under the new
/// name.
struct ObjectMove: Sendable {
  let files: S3Files
  let traits: Traits
  let source: SyncPath
  let target: SyncPath
  let content: Content
  /// The revision of the version to be moved.
  let revision: Revision
  let reach: S3Storage.Reach

  /// The results of the two changes.
  struct Results: Sendable {
    var creation: WriteResult
    var removal: WriteResult
  }

  private static let attempts = 4
  private var service: Service { files.service }

  /// Returns nil if the two changes must be made one by one.
  func run() async throws(SyncError) -> Results? {
    guard service.bucket.naming.violation(by: target) == nil else { return nil }
    switch try await copied() {
    case .copied(let facts): return try await removed(facts)
    case .changed(let found): return changed(found)
    case .unknown(let error): return Results(creation: .unknown(error), removal: .unknown(error))
    case .unmade: return nil
    }
  }

  // MARK: Copying

  private enum Copying: Sendable {
    case copied(ObjectFacts)
    /// The old name has another version, or none.
    case changed(Entry?)
    case unknown(SyncError)
    /// No copy was made, and the usual way finds the reason.
    case unmade
  }

  private func copied() async throws(SyncError) -> Copying {
    var lost: SyncError?
    for attempt in 1...Self.attempts {
      switch try await service.change(call) {
      case .notSent: return lost.map { .unknown($0) } ?? .unmade
      case .lost(let error): lost = error
      case .answered(let answer):
        if let tag = answer.copyTag { return .copied(ObjectFacts(tag: tag, size: content.size, modified: nil)) }
        // An error may come after the status, within an answer that begins as a success.
        if answer.isGood || answer.isTemporary {
          lost = await service.syncError(answer, "PUT", target)
        } else if ![404, 409, 412].contains(answer.status) {
          return lost.map { .unknown($0) } ?? .unmade
        }
      }
      do throws(SyncError) {
        if let end = try await decided(isUncertain: lost != nil) { return end }
      } catch {
        if error.reach == .pass { throw error }
        return .unknown(lost ?? error)
      }
      try await service.pauseRandomly(upTo: .milliseconds(100 << attempt))
    }
    return lost.map { .unknown($0) } ?? .unmade
  }

  /// Looks both names up; nil if the copy can be requested again.
  private func decided(isUncertain: Bool) async throws(SyncError) -> Copying? {
    switch try await files.lookUp(target) {
    case .file(let facts) where isUncertain && facts.digest == content.digest && facts.size == content.size:
      return .copied(facts)
    case .file, .tombstone: return .unmade
    case .absent: break
    }
    let found = try await files.lookUp(source).entry(at: source)
    return found?.revision == revision ? nil : .changed(found)
  }

  private var call: Call {
    var call = Call.put(Content([]), at: service.bucket.key(of: target), if: .absent)
    call.headers += files.uploadHeaders
    call.headers += service.copyHeaders(
      from: service.bucket.key(of: source), if: traits.header(ObjectFacts.tag(in: revision)))
    return call
  }

  // MARK: Removing

  private func removed(_ copy: ObjectFacts) async throws(SyncError) -> Results {
    try await reach(.moveCopied)
    var entry = copy.entry(at: target)
    entry.digest = content.digest
    let removal = try await removal(of: source).run(ObjectFacts.tag(in: revision), revision)
    guard case .refused(let found?) = removal else { return Results(creation: .done(entry), removal: removal) }
    let undone = try await self.removal(of: target).run(copy.tag, copy.revision)
    switch undone {
    case .done, .refused(nil): return changed(found)
    default: return Results(creation: undone, removal: removal)
    }
  }

  private func removal(of path: SyncPath) -> Removal { Removal(files: files, traits: traits, path: path) }

  private func changed(_ found: Entry?) -> Results {
    Results(creation: .postponed("\(source) was changed in \(files.address) meanwhile"), removal: .refused(found))
  }
}

extension Service {
  /// The headers of a PUT that copies the version with a tag.
  func copyHeaders(from key: [UInt8], if tag: String) -> [HTTPHeader] {
    let source = "/\(bucket.name)/" + PercentCoding.encoded(key, keepsSlashes: true)
    return [HTTPHeader("x-amz-copy-source", source), HTTPHeader("x-amz-copy-source-if-match", tag)]
  }
}

extension Answer {
  /// The tag of a copy; nil if the answer does not say that it was made.
  var copyTag: String? {
    guard isGood, let document = Document(body), document.root == "CopyObjectResult",
      let tag = document.text("ETag").map(ObjectFacts.bare), ObjectFacts.isTag(tag)
    else { return nil }
    return tag
  }
}
