internal import OrgKit
internal import SyncKit

/// The staging area in the role of a phone: the files that Emacs pushed, with the changes that Emacs was asked to make.
///
/// A change of a file is written as edits into the capture file, the only file that a phone may write. From then on the replica
/// shows the file as changed, so that store and remote agree on it, and reports it as pending. When Emacs pulls, the edits
/// disappear from the capture file. When Emacs pushes, the pushed version counts, in the desktop's layout. In between, our part
/// of the capture file is always a function of the desktop's and the store's versions.
actor MobileReplica: Replica, StorageDefaults {
  let area: StagingArea
  let parts: RemoteParts
  let settings: EditPlan.Options
  let locks = LockQueue()
  /// The state that was last read from or written to the journal.
  var memory: MobileState?
  /// The list for verifying files, as last read.
  var contents: StagingArea.Contents?
  /// The desktop's settings, as last recorded.
  private var knownSetup: DesktopSetup?
  /// The files whose digest did not match, and how often the same bytes were read.
  private var mismatches: [SyncPath: (digest: Digest, count: Int)] = [:]

  init(_ area: StagingArea, _ parts: RemoteParts, _ settings: EditPlan.Options) {
    self.area = area
    self.parts = parts
    self.settings = settings
  }

  nonisolated var address: String { area.address }

  func capabilities() async throws(SyncError) -> Capabilities {
    var capabilities = try await area.storage.capabilities()
    capabilities.commitLimit = .default
    return capabilities
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    let contents: StagingArea.Contents?
    let listing: Snapshot
    do throws(SyncError) {
      contents = try await area.contents()
      listing = try await area.storage.list(since: Known())
    } catch  where error.code == .notFound {
      return builder.finish(root: RootIdentity(address: area.address, id: nil))
    }
    guard let contents else { return builder.finish(root: RootIdentity(address: area.address, id: nil)) }
    self.contents = contents
    try await record(contents.index.setup)
    let state = try await state()
    let files = contents.files
    for path in files.union(state.overlays.keys).sorted() where state.overlays[path]?.isRemoved != true {
      let staged = files.contains(path) ? listing[path] : nil
      if let entry = entry(at: path, staged: staged, state) {
        builder.add(entry)
      } else if path.description != StagingName.agendas, !listing.isUnknown(path) {
        builder.add(
          unread: Unread(path, .failed("the index lists it, but it does not exist; a push may be in progress")))
      }
    }
    for part in listing.unread { builder.add(unread: part) }
    let naming = try await capabilities().naming
    var snapshot = builder.finish(root: identity, naming: naming, isComplete: listing.isComplete)
    snapshot.waiting = state.overlays.filter { !$0.value.isPulled }.keys.sorted().map {
      ($0, "it waits for the next org-mobile-pull in Emacs")
    }
    return snapshot
  }

  /// The staging area has no marker of ours: its index identifies it.
  var identity: RootIdentity { RootIdentity(address: area.address, id: "org-mobile") }

  func claim() async throws(SyncError) -> RootIdentity {
    guard try await area.contents() != nil else {
      throw SyncError(
        .wrongReplica,
        "\(area.address) is not a staging area: it has no \(StagingName.index). Run M-x org-mobile-push in Emacs first")
    }
    return identity
  }

  /// Records Emacs' settings for the merger and for people.
  private func record(_ setup: DesktopSetup) async throws(SyncError) {
    guard setup != knownSetup else { return }
    try await parts.journal.write([DesktopSetup.journalKey: setup.record])
    knownSetup = setup
  }

  /// Returns the entry that the replica shows at a path.
  private func entry(at path: SyncPath, staged: Entry?, _ state: MobileState) -> Entry? {
    guard let overlay = state.overlays[path] else { return staged }
    return Entry(
      path: path, revision: Self.revision(of: overlay, staged: staged?.revision), isFirm: staged?.isFirm ?? true,
      size: overlay.sent.count)
  }

  /// The revision of a shown version that was not pushed: the pushed revision and the digest of the shown version.
  static func revision(of overlay: MobileState.Overlay, staged: Revision?) -> Revision {
    Revision(bytes: (staged?.bytes ?? []) + [UInt8(ascii: "+")] + Digest(of: overlay.sent).bytes)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    contents = try await area.contents()
    var results: [ReadResult] = []
    for path in paths {
      do throws(SyncError) { results.append(try await read(path, into: sink)) } catch {
        switch error.code {
        case .changedMeanwhile: results.append(.postponed(error.message))
        case .pathFailed: results.append(.failed(error))
        default: throw error
        }
      }
    }
    return results
  }

  private func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    let isLive = contents?.files.contains(path) ?? false
    let file = isLive ? try await area.read(path) : nil
    if let overlay = try await state().overlays[path] {
      if overlay.isRemoved { return .absent }
      guard file?.bytes == overlay.staged else { return .postponed("\(path) was pushed just now") }
      let digest = try await sink.receive(overlay.sent)
      return .read(
        Entry(
          path: path, revision: Self.revision(of: overlay, staged: file?.revision), isFirm: file?.isFirm ?? true,
          digest: digest, size: overlay.sent.count))
    }
    guard let file else { return .absent }
    if let doubt = doubt(of: file, at: path) { return doubt }
    try await forgetCaptures(filedIn: file.bytes)
    let digest = try await sink.receive(file.bytes)
    return .read(
      Entry(path: path, revision: file.revision, isFirm: file.isFirm, digest: digest, size: file.bytes.count))
  }

  /// The reason why a file is implausible; nil if it matches its digest, or was the same in three reads: some desktops never
  /// write matching digests, and some areas are maintained by hand. Decrypted content that is not text is always implausible:
  /// the password may be wrong, or a bit has flipped, and nothing else would show it.
  func doubt(of file: StagingArea.File, at path: SyncPath) -> ReadResult? {
    guard contents?.checksums.verifies(file.bytes, as: path.bytes) == false else { return nil }
    let digest = Digest(of: file.bytes)
    let count = mismatches[path].map { $0.digest == digest ? $0.count + 1 : 1 } ?? 1
    mismatches[path] = (digest, count)
    guard count >= 3 else {
      return .postponed("\(path) does not match \(StagingName.checksums); a push may be in progress")
    }
    guard file.isSealed, String(validating: file.bytes, as: UTF8.self) == nil else { return nil }
    return .failed(
      SyncError(
        .pathFailed,
        "\(path) in \(area.address) is damaged, or encrypted with another password; push it again from Emacs"))
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let contents = try await area.contents()
    self.contents = contents
    let state = try await state()
    var answers: [Presence] = []
    for path in paths {
      if state.overlays[path]?.isRemoved ?? false {
        answers.append(.absent)
      } else if !(contents?.files.contains(path) ?? false), state.overlays[path] == nil {
        answers.append(
          contents?.isComplete ?? false ? .absent : .postponed("the index is incomplete; a push may be in progress"))
      } else {
        answers.append(try await presence(of: path, state))
      }
    }
    return answers
  }

  private func presence(of path: SyncPath, _ state: MobileState) async throws(SyncError) -> Presence {
    switch try await area.storage.confirm(file: path) {
    case .present(let staged): .present(entry(at: path, staged: staged, state) ?? staged)
    case .absent:
      entry(at: path, staged: nil, state).map(Presence.present)
        ?? .postponed("the index lists \(path), but it does not exist; a push may be in progress")
    case let other: other
    }
  }

  nonisolated func changes() -> AsyncStream<Void> { area.storage.changes() }
}
