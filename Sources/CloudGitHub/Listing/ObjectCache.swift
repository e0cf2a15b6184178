internal import GitObjects
internal import SyncKit
import Synchronization

/// The trees and small files of the branch that were received, each proved by its hash.
final class ObjectCache: Sendable {
  private let held = Mutex(Held())

  private struct Held {
    var trees: [ObjectID: GitTree] = [:]
    /// Trees whose listing does not have their hash, as with names that are not UTF-8.
    var damaged: Set<ObjectID> = []
    /// The sizes of files.
    var sizes: [ObjectID: Int] = [:]
    var files: [ObjectID: [UInt8]] = [:]
  }

  /// Adds what one listing tells about a tree.
  func add(_ tree: GitTree, as id: ObjectID) {
    let isSound = tree.id == id
    held.withLock { held in
      if isSound {
        held.trees[id] = tree
        held.damaged.remove(id)
      } else if held.trees[id] == nil {
        held.damaged.insert(id)
      }
    }
  }

  func add(sizes: [ObjectID: Int]) { held.withLock { $0.sizes.merge(sizes) { $1 } } }

  func add(file bytes: [UInt8], as id: ObjectID) { held.withLock { $0.files[id] = bytes } }

  func file(_ id: ObjectID) -> [UInt8]? { held.withLock { $0.files[id] } }

  /// The size of a file; nil if it is not known.
  func size(of id: ObjectID) -> Int? { held.withLock { $0.sizes[id] } }

  /// True if the server has this file in the branch, so that it need not be sent.
  func hasFile(_ id: ObjectID) -> Bool { held.withLock { $0.sizes[id] != nil } }

  /// Returns the tree; throws if it is damaged or was not received.
  func tree(_ id: ObjectID) throws(SyncError) -> GitTree {
    let (tree, isDamaged) = held.withLock { ($0.trees[id], $0.damaged.contains(id)) }
    if let tree { return tree }
    guard isDamaged else { throw SyncError(.unavailable, "the folder \(id.short) of the branch was not received") }
    throw SyncError(
      .pathFailed, "the folder's listing is damaged, or has names that are not UTF-8, which the API cannot tell")
  }

  /// The trees below `root`, and those that must be received first.
  func trees(below root: ObjectID) -> (known: [GitTree], missing: [ObjectID]) {
    held.withLock { held in
      var (known, missing): ([GitTree], [ObjectID]) = ([], [])
      var (seen, open): (Set<ObjectID>, [ObjectID]) = ([root], [root])
      while let id = open.popLast() {
        if let tree = held.trees[id] {
          known.append(tree)
          open += tree.entries.filter(\.mode.isFolder).map(\.id).filter { seen.insert($0).inserted }
        } else if !held.damaged.contains(id) {
          missing.append(id)
        }
      }
      return (known, missing)
    }
  }

  /// Forgets which trees are damaged, so that they are asked for again.
  func forgetDamage() { held.withLock { $0.damaged = [] } }

  /// Forgets everything that is not below `root`.
  func keep(below root: ObjectID) {
    let known = trees(below: root).known
    let files = Set(known.flatMap { $0.entries.filter(\.mode.isFile).map(\.id) })
    let trees = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    held.withLock { held in
      held.trees = trees
      held.sizes = held.sizes.filter { files.contains($0.key) }
      held.files = held.files.filter { files.contains($0.key) }
    }
  }
}
