internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// One file that is stored with one PUT under a condition.
///
/// Ceph answers most losers of a race with 500, and AWS with 409, so such an answer says nothing: a lookup and the digest in the
/// object's metadata tell what happened. The metadata arrive before the content, and some servers store a part of a content, so
/// an object counts as this upload only with its size and, where the server does not check bodies, with its content.
struct Upload: Sendable {
  let files: S3Files
  let traits: Traits
  let path: SyncPath
  let content: Content

  /// The maximum size of one upload.
  static let largest = 5 << 30
  private static let attempts = 4
  /// The number of lookups while another device's removal is about to be completed.
  private static let patience = 8

  private var service: Service { files.service }
  private var key: [UInt8] { service.bucket.key(of: path) }

  func run(if condition: Condition) async throws(SyncError) -> WriteResult {
    guard traits.isSafe else { return try await runUnsafely(if: condition) }
    var required = traits.condition(condition)
    var isUncertain = false
    var waits = 0
    var attempt = 1
    while true {
      let outcome = try await service.change(call(if: required))
      let wasLost: SyncError?
      switch outcome {
      case .notSent(let error): return .failed(error)
      case .lost(let error): wasLost = error
      case .answered(let answer):
        if answer.isGood, let entry = entry(in: answer) { return .done(entry) }
        guard answer.isGood || answer.isTemporary || [404, 409, 412].contains(answer.status) else {
          return try await refusal(answer)
        }
        if answer.status == 404, answer.failure?.code == "NoSuchBucket" {
          throw await service.syncError(answer, "PUT", path)
        }
        wasLost = nil
        isUncertain = isUncertain || answer.isGood || answer.isTemporary
      }
      isUncertain = isUncertain || wasLost != nil
      let found: S3Files.Lookup
      do throws(SyncError) { found = try await files.lookUp(path) } catch {
        if error.reach == .pass { throw error }
        return isUncertain ? .unknown(wasLost ?? error) : .failed(error)
      }
      switch Self.decide(found, required, traits, sent: content, isUncertain: isUncertain) {
      case .done(let facts): return .done(facts.entry(at: path))
      case .compare(let facts):
        switch try await files.reading(path, against: content) {
        case .whole(let entry) where entry.revision == facts.revision: return .done(entry)
        case .part(let entry) where entry.revision == facts.revision: required = .tag(traits.header(facts.tag))
        case .whole, .part: break
        case .other, .unread:
          let error = wasLost ?? files.damage(of: path)
          return isUncertain ? .unknown(error) : .failed(error)
        }
      case .overtaken(let entryFacts):
        // A lost upload may have been stored before another one replaced it.
        if let wasLost, entryFacts != nil { return .unknown(wasLost) }
        return .refused(entryFacts?.entry(at: path))
      case .replaceTombstone(let tag): required = .tag(tag)
      case .wait:
        waits += 1
        guard waits < Self.patience else {
          return .postponed("another device is removing the former version of \(path)")
        }
        try await service.pauseRandomly(upTo: .milliseconds(50 << waits))
        continue
      case .again: break
      }
      guard attempt < Self.attempts else {
        return .unknown(
          wasLost ?? SyncError(.unavailable, "\(files.address) does not store \(path); syncd tries again later"))
      }
      try await service.pauseRandomly(upTo: .milliseconds(100 << attempt))
      attempt += 1
    }
  }

  /// What follows from a lookup after an upload that was not confirmed.
  enum Step: Hashable, Sendable {
    case done(ObjectFacts)
    /// This upload is there, or a part of it: the content decides.
    case compare(ObjectFacts)
    /// Another version is there, or none.
    case overtaken(ObjectFacts?)
    /// The tombstone of a former removal is there, which can be replaced under this condition.
    case replaceTombstone(String)
    /// A removal of another device is not complete.
    case wait
    /// The condition still holds.
    case again
  }

  static func decide(
    _ found: S3Files.Lookup, _ required: TagCondition, _ traits: Traits, sent: Content, isUncertain: Bool
  ) -> Step {
    switch (found, required) {
    case (.file(let facts), _) where facts.digest == sent.digest && facts.size < sent.size: .compare(facts)
    case (.file(let facts), _) where isUncertain && facts.digest == sent.digest && facts.size == sent.size:
      traits.checksBodies ? .done(facts) : .compare(facts)
    case (.file(let facts), .tag(let tag)) where traits.header(facts.tag) == tag: .again
    case (.file(let facts), _): .overtaken(facts)
    case (.absent, .absent): .again
    case (.absent, .tag): .overtaken(nil)
    case (.tombstone(let facts, let date), .absent):
      Tombstone.canBeReplaced(facts, at: date, traits) ? .replaceTombstone(traits.header(facts.tag)) : .wait
    case (.tombstone(let facts, _), .tag(let tag)) where traits.header(facts.tag) == tag: .again
    case (.tombstone, .tag): .overtaken(nil)
    }
  }

  private func call(if condition: TagCondition?) -> Call {
    var call = Call.put(content, at: key, if: condition)
    call.headers += files.uploadHeaders + [HTTPHeader(Header.digest, content.digest.description)]
    return call
  }

  private func entry(in answer: Answer) -> Entry? {
    guard let tag = answer.header("ETag").map(ObjectFacts.bare), ObjectFacts.isTag(tag) else { return nil }
    var entry = ObjectFacts(tag: tag, size: content.size, modified: nil).entry(at: path)
    if traits.checksBodies { entry.digest = content.digest }
    return entry
  }

  private func refusal(_ answer: Answer) async throws(SyncError) -> WriteResult {
    // The server kept conditions when it was probed.
    if answer.status == 501 { try await files.state.forgetTraits() }
    let error = await service.syncError(answer, "PUT", path)
    if error.reach == .pass { throw error }
    return .failed(error)
  }

  // MARK: Without conditions

  /// Looks up, compares and overwrites, on a server that keeps no conditions; the user has allowed it.
  private func runUnsafely(if condition: Condition) async throws(SyncError) -> WriteResult {
    let before = try await files.lookUp(path)
    let present = before.entry(at: path)
    switch condition {
    case .absent where present != nil: return .refused(present)
    case .unchanged(let revision) where present?.revision != revision: return .refused(present)
    default: break
    }
    switch try await service.change(call(if: nil)) {
    case .notSent(let error): return .failed(error)
    case .lost(let error): return .unknown(error)
    case .answered(let answer) where answer.isGood:
      guard let entry = entry(in: answer) else {
        return .unknown(SyncError(.unavailable, "\(files.address) stored \(path) without an entity tag"))
      }
      return .done(entry)
    case .answered(let answer): return try await refusal(answer)
    }
  }
}
