import SyncKit

/// A command that a person runs on a device.
enum Command: Hashable, Sendable {
  /// Puts a former version of a file from the device's history back.
  case restore
  /// Puts back what the last pass of the device replaced, in the store or on a remote.
  case undo
  /// Adds a line to the inbox.
  case capture
}

/// Changes a store as the commands of the program do, in a process of its own: what is replaced is in the history before, and a
/// version that another writer has just made is not replaced.
struct StoreCommand: Sendable {
  /// The file that captured lines are added to.
  static let inbox = SyncPath("inbox.org") ?? Editor.paths[0]
  /// Stands in the history where the name of a remote stands otherwise.
  private static let name = "store"

  let store: any Replica
  let archive: any Archive

  /// Returns the present entry of a file, whose content the archive has then; nil if there is none.
  func present(_ path: SyncPath) async throws(SyncError) -> Entry? {
    let results = try await store.read([path], into: archive.intake(keepingAtMost: .max))
    if case .read(let entry)? = results.first { return entry }
    return nil
  }

  /// Replaces a file, or removes it if `content` is nil. Returns false if it is not `entry` any more; then nothing changes.
  @discardableResult
  func replace(_ entry: Entry?, by content: Content?, at path: SyncPath) async throws(SyncError) -> Bool {
    guard entry?.digest != content?.digest else { return true }
    var replaced: Content?
    if let digest = entry?.digest {
      try await archive.keep([Version(remote: Self.name, path: path, digest: digest, side: .local)])
      replaced = try await archive.content(digest)
    }
    try await archive.flush()
    let change = Change(
      path: path, content: content, condition: entry.map { .unchanged($0.revision) } ?? .absent, replaced: replaced)
    guard case .done? = try await store.commit([change]).first else { return false }
    var record = Record(remote: Self.name)
    record.actions = [
      Action(
        path: path, kind: content == nil ? .remove : .copy, to: .local, result: .done, before: entry?.digest,
        after: content?.digest)
    ]
    try await archive.record(record)
    return true
  }

  /// Adds a line to the inbox, again and again if another writer is faster.
  func capture(_ line: String) async throws(SyncError) {
    while true {
      let entry = try await present(Self.inbox)
      if try await add(line, to: entry) { return }
    }
  }

  /// Adds a line to the inbox that was read before. Returns false if it is not `entry` any more.
  func add(_ line: String, to entry: Entry?) async throws(SyncError) -> Bool {
    let old = if let digest = entry?.digest { try await archive.content(digest) } else { Content?.none }
    // After a crash, the archive may not have what was read before it.
    guard entry == nil || old != nil else { return false }
    return try await replace(entry, by: Lines.content(await Lines.of(old) + [line]), at: Self.inbox)
  }

  /// Puts the version before a pass back, unless the file has changed since.
  func undo(_ change: PastPass.Change) async throws(SyncError) {
    let entry = try await present(change.path)
    guard entry?.digest == change.after else { return }
    let content = if let before = change.before { try await archive.content(before) } else { Content?.none }
    guard change.before == nil || content != nil else { return }
    try await replace(entry, by: content, at: change.path)
  }
}
