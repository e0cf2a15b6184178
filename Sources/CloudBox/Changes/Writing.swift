internal import HTTPStorage
internal import SyncKit

/// Writes one file: in one call, or in an upload session if it is large.
///
/// The condition is part of the call, and Box checks it at the moment of the change. A call whose answer was lost is sent once
/// more: if the first was carried out, the second is rejected, and a lookup finds our own content.
struct Writing {
  let storage: BoxStorage
  let change: Change
  let content: Content

  private static let attempts = 4
  /// The wait after a name that is reserved for a moment.
  private static let pause = Duration.seconds(2)

  private var service: Service { storage.service }
  private var path: SyncPath { change.path }

  /// What to do after an attempt.
  private enum Step {
    case end(WriteResult)
    case again(UploadTarget)
  }

  func run() async throws(SyncError) -> WriteResult {
    let upload: any Upload
    let attributes = FileAttributes(name: String(decoding: path.name, as: UTF8.self), modified: change.modified)
    let target: UploadTarget
    switch try await self.target() {
    case .end(let result): return result
    case .again(let first): target = first
    }
    guard content.size >= LargeUpload.smallest else {
      let bytes = try await content.checkedBytes(atMost: LargeUpload.smallest)
      upload = SmallUpload(service, attributes, bytes)
      return try await send(upload, to: target)
    }
    let large = LargeUpload(service, attributes, content)
    let result = try await send(large, to: target)
    if case .done = result { return result }
    await large.discard()
    return result
  }

  /// The first place to write to.
  private func target() async throws(SyncError) -> Step {
    switch change.condition {
    case .absent:
      switch try await storage.folder(for: path.parent) {
      case .id(let folder): return .again(.new(folder: folder))
      case .blocked(let result): return .end(result)
      }
    case .unchanged(let revision):
      guard let etag = revision.boxVersion?.etag else { return .end(try await storage.refusal(of: change)) }
      if let (id, node) = try await storage.feed.tree()[path], case .file = node.kind {
        return .again(.version(of: id, etag: etag))
      }
      guard case .file(let item) = try await storage.lookup.find(path) else {
        return .end(try await storage.refusal(of: change))
      }
      return .again(.version(of: item.id, etag: etag))
    }
  }

  private func send(_ upload: any Upload, to target: UploadTarget) async throws(SyncError) -> WriteResult {
    var (target, wasLost) = (target, false)
    for attempt in 1... {
      let outcome = try await service.locks.withLock("in \(path.parent?.description ?? "")") { () throws(SyncError) in
        try await upload.send(to: target)
      }
      let hash = await upload.hash
      if case .answered(let answer) = outcome, answer.isGood, let reply = answer.value(UploadReply.self),
        let item = reply.entries.first
      {
        return try finished(item, target, hash: hash)
      }
      let isLost = outcome.isLost || outcome.isGood
      wasLost = wasLost || isLost
      switch try await next(outcome, target, hash, wasLost: wasLost, isLast: attempt >= Self.attempts) {
      case .end(let result): return result
      case .again(let other): target = other
      }
    }
    preconditionFailure("a loop without an end has ended")
  }

  /// Verifies a successful write.
  private func finished(_ item: Item, _ target: UploadTarget, hash: ContentHash) throws(SyncError) -> WriteResult {
    guard let version = item.version, version.sha1 == hash.hexadecimal, version.size == content.size else {
      storage.feed.doubt()
      return .unknown(SyncError(.unexpected, "Box stored other content than was sent for \(path)"))
    }
    return record(item, version)
  }

  /// The entry of a written file: its hash proves that its content is the one that was sent.
  private func record(_ item: Item, _ version: Item.Version) -> WriteResult {
    if let folder = item.parent { storage.feed.record(item, in: folder) } else { storage.feed.doubt() }
    var entry = BoxStorage.entry(of: version, at: path)
    entry.digest = content.digest
    return .done(entry)
  }

  // MARK: Failures

  private func next(
    _ outcome: Outcome, _ target: UploadTarget, _ hash: ContentHash, wasLost: Bool, isLast: Bool
  ) async throws(SyncError) -> Step {
    switch outcome {
    case .notSent(let error): return .end(wasLost ? .unknown(error) : .failed(error))
    case .lost(let error):
      if !isLast { return .again(target) }
      return try await look(target, hash, wasLost: true, otherwise: .unknown(error), isLast: true)
    case .answered(let answer):
      switch answer.status {
      case 404, 409, 412:
        return try await look(target, hash, wasLost: wasLost, otherwise: nil, isLast: isLast)
      case _ where outcome.isLost || outcome.isGood:
        if !isLast { return .again(target) }
        let error = service.failure(answer, at: path.description)
        return try await look(target, hash, wasLost: true, otherwise: .unknown(error), isLast: true)
      case 400 where answer.has("bad_digest") && !isLast: return .again(target)
      default: return .end(storage.result(of: answer, path))
      }
    }
  }

  /// Decides by what is at the path now.
  ///
  /// - Parameter otherwise: the result if it is neither our content nor an obstacle
  private func look(
    _ target: UploadTarget, _ hash: ContentHash, wasLost: Bool, otherwise: WriteResult?, isLast: Bool
  ) async throws(SyncError) -> Step {
    switch try await storage.lookup.find(path) {
    case .unclear(let error): return .end(wasLost ? .unknown(error) : .failed(error))
    case .spelledOtherwise(let name):
      return .end(.cannot("Box treats the name as \(path.sibling(Array(name.utf8))?.description ?? name)"))
    case .other(let item) where item.isFolder:
      if !isLast, try await storage.removeEmptyFolder(at: path) { return .again(target) }
      return .end(.failed(SyncError(.pathFailed, "cannot write \(path): Box has a folder of this name")))
    case .other: return .end(.failed(SyncError(.pathFailed, "cannot write \(path): an item in Box has this name")))
    case .absent: return try await absent(target, wasLost: wasLost, otherwise: otherwise, isLast: isLast)
    case .file(let item):
      guard let version = item.version else { return .end(.refused(nil)) }
      if wasLost, version.sha1 == hash.hexadecimal { return .end(record(item, version)) }
      // Its etag also changes with its description, and its id if it was replaced by the same content.
      if !isLast, case .unchanged(let revision) = change.condition, revision.boxVersion?.sha1 == version.sha1 {
        return .again(.version(of: item.id, etag: version.etag))
      }
      return .end(otherwise ?? .refused(BoxStorage.entry(of: version, at: path)))
    }
  }

  /// Nothing is at the path: the folder of a new file is gone, or its name is reserved for a moment.
  private func absent(
    _ target: UploadTarget, wasLost: Bool, otherwise: WriteResult?, isLast: Bool
  ) async throws(SyncError) -> Step {
    guard case .new(let folder) = target, !isLast else { return .end(otherwise ?? .refused(nil)) }
    if case .missing = try await service.list(folder, maxFiles: storage.feed.maxFiles, address: storage.address) {
      storage.feed.remove(folder)
      return try await self.target()
    }
    try await service.sleep(for: Self.pause)
    return .again(target)
  }
}
