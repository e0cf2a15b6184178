import SyncKit
import SyncKitTesting

extension Sabotage {
  static let listing = [
    Sabotage("a new storage contains a welcome file") {
      $0.onCreateRoot = { memory in
        await memory.createRoot()
        if let path = SyncPath("Welcome.txt") { await memory.put(Content([]), at: path) }
      }
    },
    Sabotage("a listing lacks its last file") {
      $0.onList = { memory, known in try await memory.list(since: known) { $0.dropLast() } }
    },
    Sabotage("a listing ends after the first page") {
      $0.onList = { memory, known in try await memory.list(since: known) { Array($0.prefix(500)) } }
    },
    Sabotage("a listing shows only the top folder") {
      $0.onList = { memory, known in try await memory.list(since: known) { $0.filter { $0.path.parent == nil } } }
    },
    Sabotage("a listing is never complete") {
      $0.onList = { memory, known in
        let root = RootIdentity(address: memory.address, id: nil)
        return SnapshotBuilder(since: known).finish(
          root: root, isComplete: try await memory.list(since: known).count < 0)
      }
    },
    Sabotage("a listing shows folders") {
      $0.onRemove = { memory, path, condition in
        if let folder = path.parent { await memory.put(Content([]), at: folder) }
        return try await memory.remove(path, if: condition)
      }
    },
    Sabotage("a listing ignores the filter") {
      $0.onList = { memory, _ in try await memory.list(since: Known()) }
    },
    Sabotage("a listing trusts the previous state") {
      $0.onList = { memory, known in
        let old = (0..<known.count).map { Entry(path: known[$0].path, revision: known[$0].revision) }
        return try await memory.list(since: known) { old + $0.filter { known[$0.path] == nil } }
      }
    },
    Sabotage("each listing has new revisions") {
      let count = Counter()
      $0.onList = { memory, known in
        let number = await count.next()
        return try await memory.list(since: known) { $0.map { $0.with(revision: "\(number)") } }
      }
    },
  ]

  static let lookingUp = [
    Sabotage("a lookup finds every file") {
      $0.onConfirm = { _, path in .present(Entry(path: path, revision: Revision("1"))) }
    },
    Sabotage("a lookup finds no file") { $0.onConfirm = { _, _ in .absent } },
    Sabotage("a lookup returns a former revision") {
      $0.onConfirm = { memory, path in
        guard case .present(let entry) = try await memory.confirm(file: path) else { return .absent }
        return .present(entry.with(revision: "former"))
      }
    },
    Sabotage("a lookup finds a file of another letter case") {
      $0.onConfirm = { memory, path in
        let rules = NamingRules(foldsCase: true)
        let twin = await memory.contents.keys.first { $0.collisionKey(under: rules) == path.collisionKey(under: rules) }
        return try await memory.confirm(file: twin ?? path)
      }
    },
    Sabotage("a lookup returns a folder as a file") {
      $0.onConfirm = { memory, path in
        guard await memory.contents.keys.contains(where: { $0.isInside(path) }) else {
          return try await memory.confirm(file: path)
        }
        return .present(Entry(path: path, revision: Revision("folder")))
      }
    },
    Sabotage("a size is used as the revision") {
      $0.onList = { memory, known in
        try await memory.list(since: known) { $0.map { $0.with(revision: "\($0.size)") } }
      }
    },
  ]
}
