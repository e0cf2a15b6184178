import ArchiveSQLite
import SyncDaemon
import SyncKit

/// One version of a file in the history.
struct FileVersion: Hashable, Sendable {
  /// The number of the pass that made it the file's version or, if none did, of the pass that replaced it.
  var pass: Int
  /// The time of that pass.
  var time: Timestamp
  /// The digest of the content; nil if the file was deleted.
  var digest: Digest?
  /// The origin, as a clause.
  var cause: String
  /// The action that made it the file's version; nil for a version that was replaced before any pass did so.
  var action: RemoteAction?
  /// True if the file did not exist before.
  var isCreation = false
  /// The size in bytes; nil if the history no longer has the content.
  var size: Int?
  /// The path of the file then, if it had another one.
  var formerPath: SyncPath?
  /// True if only the path changed.
  var isRename = false

  /// Returns the versions of what had this path, newest first; each once, whatever number of remotes has it.
  static func all(at path: SyncPath, in workspace: Workspace) async throws(SyncError) -> [FileVersion] {
    let history = workspace.history
    var versions = try await all(
      passes: history.passes(touching: path), replaced: workspace.wholeVersions(of: path))
    for index in versions.indices where versions[index].size == nil {
      guard let digest = versions[index].digest else { continue }
      versions[index].size = try await workspace.archive.content(digest)?.size
    }
    if let oldest = versions.lastIndex(where: { $0.action != nil }) {
      versions[oldest].isCreation =
        try await history.state(of: path, afterPass: versions[oldest].pass - 1) == .absent
    }
    return versions
  }

  /// - Parameters:
  ///   - passes: the passes that touched the file, newest first.
  ///   - replaced: its previous versions, newest first.
  static func all(passes: [PassRecord], replaced: [DisplacedVersion]) -> [FileVersion] {
    var made: [FileVersion] = []
    let changes = passes.reversed().flatMap { pass in pass.actions.filter(\.isChange).map { (pass: pass, item: $0) } }
    // The remotes that have the latest version.
    var holders: Set<String> = []
    for (index, change) in changes.enumerated() {
      let (pass, item) = change
      if made.isEmpty || made.last?.digest != item.action.after {
        let next = changes.dropFirst(index + 1).first?.item
        if !holders.contains(item.remote), isFormer(item, next, among: made) { continue }
        made.append(
          FileVersion(
            pass: pass.number, time: pass.started, digest: item.action.after,
            cause: item.cause(isFirst: made.isEmpty || made.last?.digest == nil), action: item))
        holders = []
      }
      holders.insert(item.remote)
    }
    // What a merge or the first change replaced was never the result of a pass.
    var known = Set(made.compactMap(\.digest))
    let others = replaced.filter { known.insert($0.digest).inserted }.map(FileVersion.init)
    // The version that a pass replaced is older than the one that it made.
    return (made.reversed() + others).enumerated()
      .sorted { ($1.element.pass, $0.offset) < ($0.element.pass, $1.offset) }.map(\.element)
  }

  /// Returns true if an action has only sent a former version on: a pass that began before the file's latest change recorded it
  /// after that, and the next one has sent the latest version. The remote must not have had the latest version before.
  private static func isFormer(_ item: RemoteAction, _ next: RemoteAction?, among made: [FileVersion]) -> Bool {
    guard let latest = made.last?.digest, let next, item.action.to == .remote, next.action.to == .remote else {
      return false
    }
    return next.action.after == latest && made.contains { $0.digest == item.action.after }
  }

  private init(pass: Int, time: Timestamp, digest: Digest?, cause: String, action: RemoteAction?) {
    (self.pass, self.time, self.digest, self.cause, self.action) = (pass, time, digest, cause, action)
  }

  private init(_ version: DisplacedVersion) {
    let place = version.side.map { $0 == .local ? "of the store" : "of \(version.remote)" } ?? "of both sides"
    self.init(
      pass: version.pass, time: version.displaced, digest: version.digest, cause: "\(place), replaced", action: nil)
    size = version.size
  }

  /// The version as a line for people.
  var line: String {
    let content = digest.map { "\($0.short)  \(size.map { SyncDaemon.size($0) } ?? "not in the history")" } ?? "deleted"
    return "pass \(pass)  \(LocalTime(time))  \(content)  \(cause)\(formerPath.map { ", as \($0)" } ?? "")"
  }

  /// The version as JSON.
  ///
  /// - Parameter path: the file's present path.
  func json(of path: SyncPath) -> JSON {
    [
      "path": .string((formerPath ?? path).description), "pass": .integer(pass), "time": .string("\(CivilTime(time))"),
      "digest": digest.map { .string($0.description) } ?? .null, "size": size.map(JSON.integer) ?? .null,
      "cause": .string(cause),
    ]
  }
}

extension RemoteAction {
  /// True if the action gave a file another version, or sent one on.
  fileprivate var isChange: Bool {
    switch action.kind {
    case .copy, .merge, .remove, .conflict: action.result == .done
    case .hold, .forget: false
    }
  }

  /// The origin of the version after the action, as a clause.
  fileprivate func cause(isFirst: Bool) -> String {
    if remote == StoreEdit.name, !action.detail.isEmpty { return action.detail }
    return switch (action.kind, action.to) {
    case (.remove, .remote): "deleted in the store"
    case (.remove, _): "deleted on \(remote)"
    case (.copy, .remote): isFirst ? "added in the store" : "changed in the store"
    case (.copy, _): isFirst ? "added on \(remote)" : "changed on \(remote)"
    case (.merge, _): "merged with \(remote)"
    case (.conflict, _): "merged with \(remote), with a conflict"
    case (.hold, _), (.forget, _): action.kind.rawValue
    }
  }
}
