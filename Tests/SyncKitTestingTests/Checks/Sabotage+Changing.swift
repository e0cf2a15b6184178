import SyncKit
import SyncKitTesting

extension Sabotage {
  static let changing = [
    Sabotage("a creation overwrites an existing file") {
      $0.onWrite = { memory, content, path, condition in
        let current = try await memory.currentCondition(at: path)
        return try await memory.write(content, to: path, if: condition.isAbsent ? current : condition)
      }
    },
    Sabotage("a replacement overwrites a newer version") {
      $0.onWrite = { memory, content, path, condition in
        let current = try await memory.currentCondition(at: path)
        let replaces = !condition.isAbsent && !current.isAbsent
        return try await memory.write(content, to: path, if: replaces ? current : condition)
      }
    },
    Sabotage("a replacement creates a removed file") {
      $0.onWrite = { memory, content, path, condition in
        let current = try await memory.currentCondition(at: path)
        return try await memory.write(content, to: path, if: current.isAbsent ? current : condition)
      }
    },
    Sabotage("a condition is checked before the write and not during it") {
      $0.onWrite = { memory, content, path, condition in
        guard try await memory.currentCondition(at: path) == condition else { return .refused(nil) }
        for _ in 0..<20 { await Task.yield() }
        return try await memory.write(content, to: path, if: try await memory.currentCondition(at: path))
      }
    },
    Sabotage("a refusal lacks the current entry") {
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: condition)
        if case .refused = result { return .refused(nil) }
        return result
      }
    },
    Sabotage("a write is reported as done, but not done") {
      $0.onWrite = { _, content, path, _ in
        .done(Entry(path: path, revision: Revision("1"), size: content.size))
      }
    },
    Sabotage("only creations are done") {
      $0.onWrite = { memory, content, path, condition in
        if condition.isAbsent { return try await memory.write(content, to: path, if: condition) }
        return .done(Entry(path: path, revision: Revision("1"), size: content.size))
      }
    },
    Sabotage("some concurrent writes are lost") {
      let count = Counter()
      $0.onWrite = { memory, content, path, condition in
        guard await count.next() % 7 == 0 else { return try await memory.write(content, to: path, if: condition) }
        return .done(Entry(path: path, revision: Revision("1"), size: content.size))
      }
    },
    Sabotage("a write returns a revision that nothing else returns") {
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: condition)
        guard case .done(let entry?) = result else { return result }
        return .done(entry.with(revision: "written"))
      }
    },
    Sabotage("a write returns a wrong digest") {
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: condition)
        guard case .done(var entry?) = result else { return result }
        entry.digest = .empty
        return .done(entry)
      }
    },
    Sabotage("a folder may replace a file") {
      $0.onWrite = { memory, content, path, condition in
        for folder in path.ancestors { await memory.take(folder) }
        return try await memory.write(content, to: path, if: condition)
      }
    },
    Sabotage("the results of a batch are in another order") {
      $0.onCommit = { storage, changes in
        Array(try await storage.carryOut(changes, inOrder: Array(changes.indices)).reversed())
      }
    },
    Sabotage("a batch writes before it removes") {
      $0.onCommit = { storage, changes in
        try await storage.carryOut(
          changes, inOrder: changes.indices.sorted { changes[$0].content != nil && changes[$1].content == nil })
      }
    },
    Sabotage("a removal does nothing") { $0.onRemove = { _, _, _ in .done(nil) } },
    Sabotage("a removal removes every name with the same prefix") {
      $0.onRemove = { memory, path, condition in
        for other in await memory.contents.keys where other != path && other.bytes.starts(with: path.bytes) {
          await memory.take(other)
        }
        return try await memory.remove(path, if: condition)
      }
    },
    Sabotage("a removal removes a newer version") {
      $0.onRemove = { memory, path, condition in
        let current = try await memory.currentCondition(at: path)
        return try await memory.remove(path, if: current.isAbsent ? condition : current)
      }
    },
    Sabotage("a removal of a removed file succeeds") {
      $0.onRemove = { memory, path, condition in
        let result = try await memory.remove(path, if: condition)
        if case .refused(nil) = result { return .done(nil) }
        return result
      }
    },
    Sabotage("a removed file cannot be created again") {
      let tombs = Tombs()
      $0.onRemove = { memory, path, condition in
        await tombs.add(path)
        return try await memory.remove(path, if: condition)
      }
      $0.onWrite = { memory, content, path, condition in
        if await tombs.contains(path) { return .refused(nil) }
        return try await memory.write(content, to: path, if: condition)
      }
    },
    Sabotage("an empty folder prevents a file of its name") {
      let folders = Tombs()
      $0.onRemove = { memory, path, condition in
        for folder in path.ancestors { await folders.add(folder) }
        return try await memory.remove(path, if: condition)
      }
      $0.onWrite = { memory, content, path, condition in
        if await folders.contains(path) { return .failed(SyncError(.pathFailed, "\(path) is a folder")) }
        return try await memory.write(content, to: path, if: condition)
      }
    },
  ]
}

/// Paths that a storage should have forgotten.
private actor Tombs {
  private var paths: Set<SyncPath> = []

  func add(_ path: SyncPath) { paths.insert(path) }

  func contains(_ path: SyncPath) -> Bool { paths.contains(path) }
}
