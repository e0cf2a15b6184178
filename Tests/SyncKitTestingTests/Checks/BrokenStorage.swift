import SyncKit
import SyncKitTesting

/// A storage in memory whose methods can be replaced one by one, so that it has a single flaw.
struct BrokenStorage: StorageDefaults {
  let memory: MemoryStorage
  var address = "memory:"

  var onCreateRoot: @Sendable (MemoryStorage) async throws -> Void = { await $0.createRoot() }
  var onRecover: @Sendable (MemoryStorage) async throws -> Void = { _ in }
  var onList: @Sendable (MemoryStorage, Known) async throws -> Snapshot = { try await $0.list(since: $1) }
  var onConfirm: @Sendable (MemoryStorage, SyncPath) async throws -> Presence = { try await $0.confirm(file: $1) }
  var onRead: @Sendable (MemoryStorage, SyncPath, any ContentSink) async throws -> ReadResult = {
    try await $0.read(file: $1, into: $2)
  }
  var onWrite: @Sendable (MemoryStorage, Content, SyncPath, Condition) async throws -> WriteResult = {
    try await $0.write($1, to: $2, if: $3)
  }
  var onRemove: @Sendable (MemoryStorage, SyncPath, Condition) async throws -> WriteResult = {
    try await $0.remove($1, if: $2)
  }
  var onReadMany: (@Sendable (BrokenStorage, [SyncPath], any ContentSink) async throws -> [ReadResult])?
  var onCommit: (@Sendable (BrokenStorage, [Change]) async throws -> [WriteResult])?

  init(naming: NamingRules = NamingRules()) {
    memory = MemoryStorage(
      capabilities: Capabilities(replacement: .conditional, naming: naming), hasRoot: false)
  }

  func capabilities() async -> Capabilities { await memory.capabilities() }

  func createRoot() async throws(SyncError) { try await typed { try await onCreateRoot(memory) } }

  func recover() async throws(SyncError) { try await typed { try await onRecover(memory) } }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await typed { try await onList(memory, known) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await typed {
      var results: [Presence] = []
      for path in paths { results.append(try await onConfirm(memory, path)) }
      return results
    }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await typed { try await (onReadMany ?? { try await $0.readEach($1, into: $2) })(self, paths, sink) }
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await typed {
      try await (onCommit ?? { try await $0.carryOut($1, inOrder: Array($1.steps.joined())) })(self, changes)
    }
  }

  func readEach(_ paths: [SyncPath], into sink: any ContentSink) async throws -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths { results.append(try await onRead(memory, path, sink)) }
    return results
  }

  func carryOut(_ changes: [Change], inOrder order: [Int]) async throws -> [WriteResult] {
    var results: [Int: WriteResult] = [:]
    for index in order {
      let (path, condition) = (changes[index].path, changes[index].condition)
      if let content = changes[index].content {
        results[index] = try await onWrite(memory, content, path, condition)
      } else {
        results[index] = try await onRemove(memory, path, condition)
      }
    }
    return changes.indices.compactMap { results[$0] }
  }

  private func typed<Value>(_ verb: () async throws -> Value) async throws(SyncError) -> Value {
    do { return try await verb() } catch let error as SyncError { throw error } catch {
      throw SyncError(.unexpected, "\(error)")
    }
  }
}
