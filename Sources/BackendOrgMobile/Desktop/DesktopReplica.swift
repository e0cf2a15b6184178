internal import SyncKit

/// The staging area in the role of the desktop, without Emacs: pushes the store's files whole, with index and checksums, and
/// applies the phones' capture file to the staged files before a pass lists them. So a phone's edit reaches the store like any
/// change of a remote, and is merged with the store's changes.
actor DesktopReplica: Replica, StorageDefaults {
  let area: StagingArea
  let parts: RemoteParts
  let inbox: SyncPath
  let todoLines: [String]
  let views: [AgendaView]
  /// The files' parts of the agenda views, cached in this process.
  var agendaParts = AgendaParts()
  private let locks = LockQueue()

  static let intakeKey = "org-mobile.intake"
  static let takenKey = "org-mobile.taken"
  static let reserved = [
    StagingName.index, StagingName.agendas, StagingName.checksums, StagingName.capture,
  ].map(StagingArea.path)

  init(_ area: StagingArea, _ parts: RemoteParts, inbox: SyncPath, todoLines: [String], views: [AgendaView]) {
    self.area = area
    self.parts = parts
    self.inbox = inbox
    self.todoLines = todoLines
    self.views = views
  }

  private var identity: RootIdentity { RootIdentity(address: area.address, id: "org-mobile") }

  nonisolated var address: String { area.address }

  func capabilities() async throws(SyncError) -> Capabilities {
    var capabilities = try await area.storage.capabilities()
    capabilities.commitLimit = .default
    // A file that another desktop has written but not yet added to the index looks like an outdated one.
    capabilities.isRaceFree = false
    return capabilities
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    do throws(SyncError) {
      guard let contents = try await area.contents() else {
        return builder.finish(root: RootIdentity(address: area.address, id: nil))
      }
      let listing = try await area.storage.list(since: Known())
      for path in contents.files.subtracting(Self.reserved).sorted() {
        if let entry = listing[path] { builder.add(entry) }
      }
      for part in listing.unread { builder.add(unread: part) }
      let naming = try await capabilities().naming
      return builder.finish(root: identity, naming: naming, isComplete: listing.isComplete)
    } catch  where error.code == .notFound {
      return SnapshotBuilder(since: known).finish(root: RootIdentity(address: area.address, id: nil))
    }
  }

  /// Creates an empty staging area.
  func claim() async throws(SyncError) -> RootIdentity {
    try await area.storage.createRoot()
    if try await area.contents() == nil { try await publish([:]) }
    return identity
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let contents = try await area.contents()
    var results: [ReadResult] = []
    for path in paths {
      do throws(SyncError) {
        guard let file = try await area.read(path) else {
          results.append(.absent)
          continue
        }
        guard contents?.believes(file, at: path) ?? true else {
          results.append(.failed(StagingArea.notText(path, in: area.address)))
          continue
        }
        let digest = try await sink.receive(file.bytes)
        results.append(
          .read(
            Entry(path: path, revision: file.revision, isFirm: file.isFirm, digest: digest, size: file.bytes.count)))
      } catch {
        guard error.reach == .path else { throw error }
        results.append(.failed(error))
      }
    }
    return results
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let files = try await area.contents()?.files ?? []
    var answers: [Presence] = []
    for path in paths {
      answers.append(files.contains(path) ? try await area.storage.confirm(file: path) : .absent)
    }
    return answers
  }

  // MARK: A push

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await locks.withLock("commit") { () throws(SyncError) in try await self.carryOut(changes) }
  }

  private func carryOut(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let live = try await area.contents()?.files ?? []
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    var written: [SyncPath: Bytes?] = [:]
    for index in changes.steps.joined() {
      let change = changes[index]
      do throws(SyncError) {
        results[index] = try await carryOut(change, isLive: live.contains(change.path), &written)
      } catch {
        guard error.reach == .path else { throw error }
        results[index] = .failed(error)
      }
    }
    if !written.isEmpty { try await publish(written) }
    return results.complete
  }

  private func carryOut(
    _ change: Change, isLive: Bool, _ written: inout [SyncPath: Bytes?]
  ) async throws(SyncError) -> WriteResult {
    let path = change.path
    guard !Self.reserved.contains(path) else {
      return .cannot("org-mobile reserves this name; rename the file")
    }
    guard let content = change.content else {
      let result = try await area.storage.commit(change: change)
      if case .done = result { written.updateValue(nil, forKey: path) }
      return result
    }
    guard !path.bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
      return .cannot("org-mobile cannot list a file name with a line break; rename the file")
    }
    let bytes = try await StagingArea.whole(content, of: path)
    let condition = try await isLive ? change.condition : conditionForLeftover(path, change.condition)
    let result = try await area.write(bytes, to: path, if: condition)
    guard case .done(let entry) = result else { return result }
    written[path] = bytes
    return .done(entry.map { Self.plain($0, content) })
  }

  /// The entry of an encrypted file, with the digest and size of the plain text.
  private static func plain(_ entry: Entry, _ content: Content) -> Entry {
    var entry = entry
    (entry.digest, entry.size) = (content.digest, content.size)
    return entry
  }

  /// Allows replacing an outdated file, which exists but is not live; keeps its content in the history.
  private func conditionForLeftover(_ path: SyncPath, _ condition: Condition) async throws(SyncError) -> Condition {
    guard condition == .absent, let leftover = try await area.read(path) else { return condition }
    _ = try await parts.contents.intake(keepingAtMost: .max).receive(leftover.bytes)
    try await parts.contents.flush()
    return .unchanged(leftover.revision)
  }

  nonisolated func changes() -> AsyncStream<Void> { area.storage.changes() }
}
