internal import GitObjects
internal import SyncKit

/// The author and time of the versions in a branch, which name the copy of a version in a conflict.
///
/// The history is walked backwards from the tip, only as far as needed.
struct Origins {
  struct Origin: Hashable, Sendable {
    var author: String
    var time: Timestamp
  }

  /// The version of a file in some commit.
  struct Version: Hashable, Sendable {
    var path: [UInt8]
    var id: ObjectID
  }

  /// The tip whose history is walked.
  private var tip: ObjectID?
  private var found: [Version: Origin] = [:]
  private var next: [ObjectID] = []
  private var visited: Set<ObjectID> = []

  /// The maximum number of commits; older versions have no author and time.
  private static let deepest = 1_000

  /// Returns the origins of those versions of the tip that can be found.
  mutating func find(
    _ versions: [Version], at tip: ObjectID, commit: (ObjectID) throws(SyncError) -> Repository.Commit,
    tree: (ObjectID) throws(SyncError) -> GitTree
  ) throws(SyncError) -> [Version: Origin] {
    if self.tip != tip {
      self = Origins()
      (self.tip, next) = (tip, [tip])
    }
    var wanted = Set(versions)
    wanted.subtract(found.keys)
    while !wanted.isEmpty, visited.count < Self.deepest, !next.isEmpty {
      let id = next.removeFirst()
      guard visited.insert(id).inserted else { continue }
      let made = try commit(id)
      next += made.parents
      let changed = try changes(of: made, commit: commit, tree: tree)
      for version in changed where found[version] == nil {
        found[version] = Origin(author: made.author, time: made.time)
      }
      wanted.subtract(changed)
    }
    return found
  }

  /// Returns the files of a commit that differ from all of its parents.
  private func changes(
    of made: Repository.Commit, commit: (ObjectID) throws(SyncError) -> Repository.Commit,
    tree: (ObjectID) throws(SyncError) -> GitTree
  ) throws(SyncError) -> Set<Version> {
    guard !made.parents.isEmpty else { return try Self.difference(nil, made.tree, at: [], depth: 0, tree: tree) }
    var changed: Set<Version>?
    for parent in made.parents {
      let difference = try Self.difference(try commit(parent).tree, made.tree, at: [], depth: 0, tree: tree)
      changed = changed?.intersection(difference) ?? difference
    }
    return changed ?? []
  }

  private static func difference(
    _ old: ObjectID?, _ new: ObjectID, at path: [UInt8], depth: Int, tree: (ObjectID) throws(SyncError) -> GitTree
  ) throws(SyncError) -> Set<Version> {
    guard old != new, depth <= TreeWalk.deepest else { return [] }
    var former: [[UInt8]: GitTree.Entry] = [:]
    if let old { for entry in try tree(old).entries { former[entry.name] = entry } }
    var changed: Set<Version> = []
    for entry in try tree(new).entries where former[entry.name]?.id != entry.id {
      let itemPath = path.isEmpty ? entry.name : path + [0x2F] + entry.name
      if entry.mode.isFolder {
        let before = former[entry.name].flatMap { $0.mode.isFolder ? $0.id : nil }
        changed.formUnion(try difference(before, entry.id, at: itemPath, depth: depth + 1, tree: tree))
      } else {
        changed.insert(Version(path: itemPath, id: entry.id))
      }
    }
    return changed
  }
}
