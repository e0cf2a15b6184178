import SyncKit

/// What a pass did, to be undone.
struct PastPass: Sendable {
  /// The change of one file.
  struct Change: Sendable {
    var path: SyncPath
    /// The version to put back; nil for none.
    var before: Digest?
    /// The version after the pass; nil for none.
    var after: Digest?
  }

  private let actions: [Action]
  private let versions: [Version]

  /// What an archive learned during a pass.
  init(from earlier: MemoryArchive.Backup, to later: MemoryArchive.Backup) {
    actions = Array(later.actions.dropFirst(earlier.actions.count))
    versions = Array(later.versions.dropFirst(earlier.versions.count))
  }

  /// The changes, newest first: in the store, and of files of the store that replaced another version of the remote. A file that
  /// was new to the remote is the person's.
  var changes: [Change] {
    let done = actions.filter { $0.result == .done }
    var changes = done.filter { $0.to != .remote && $0.before != $0.after }
      .map { Change(path: $0.path, before: $0.before, after: $0.after) }
    var known = Set(changes.map(\.path))
    for action in done where action.to == .remote && action.kind != .forget && known.insert(action.path).inserted {
      let replaced = versions.first { $0.path == action.path && $0.side != .local }?.digest
      guard let replaced, replaced != action.after else { continue }
      changes.append(Change(path: action.path, before: replaced, after: action.after))
    }
    return changes.reversed()
  }
}

/// The last pass of each device.
actor PastPasses {
  private var last: [Int: PastPass] = [:]

  func add(_ pass: PastPass, of device: Int) { if !pass.changes.isEmpty { last[device] = pass } }

  func last(of device: Int) -> PastPass? { last[device] }
}
