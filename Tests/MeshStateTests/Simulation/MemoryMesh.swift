import MeshState
import SyncKit
import SyncKitTesting

/// A device's part of a mesh, in memory: the smallest correct replica with concurrent versions.
actor MemoryMesh: Replica, StorageDefaults {
  nonisolated let address = "mesh"
  private(set) var state: MeshState
  private(set) var contents: [Digest: Content] = [:]
  private let milliseconds: @Sendable () -> UInt64
  /// What the engine knew when it last listed the files: it decides which of several versions is presented.
  private var known = Known()

  init(writer: UInt64, milliseconds: @escaping @Sendable () -> UInt64) {
    state = MeshState(writer: Writer(id: writer))
    self.milliseconds = milliseconds
  }

  // MARK: The engine

  func capabilities() -> Capabilities { Capabilities(replacement: .conditional) }

  func claim() -> RootIdentity { RootIdentity(address: address, id: "mesh") }

  func list(since known: Known) -> Snapshot {
    self.known = known
    var builder = SnapshotBuilder(since: known)
    for path in state.files.keys.sorted() {
      guard var entry = entry(at: path) else { continue }
      entry.digest = nil
      builder.add(entry)
    }
    return builder.finish(root: claim())
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths {
      guard let entry = entry(at: path), let content = entry.digest.flatMap({ contents[$0] }) else {
        results.append(.absent)
        continue
      }
      _ = try await sink.receive(try await content.bytes())
      results.append(.read(entry))
    }
    return results
  }

  func confirm(_ paths: [SyncPath]) -> [Presence] { paths.map { entry(at: $0).map(Presence.present) ?? .absent } }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() { results[index] = try await carryOut(changes[index]) }
    return results.complete
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    let content = try await change.content?.bytes()
    if let objection = NamingRules().violation(by: change.path) { return .cannot(objection) }
    guard content.map({ Digest(of: $0) }) == change.content?.digest else {
      return .failed(SyncError(.changedMeanwhile, "the content changed while it was read"))
    }
    let present = entry(at: change.path)
    let expected: Revision? = if case .unchanged(let revision) = change.condition { revision } else { nil }
    guard present?.revision == expected, let dots = expected.map(\.dots) ?? [] else { return .refused(present) }
    guard let content else {
      state.remove(dots, at: change.path)
      return .done(nil)
    }
    let digest = Digest(of: content)
    contents[digest] = Content(content, digest: digest)
    state.write(digest, size: content.count, at: change.path, replacing: dots, milliseconds: milliseconds())
    return .done(entry(at: change.path))
  }

  private func entry(at path: SyncPath) -> Entry? {
    let dots = known[path]?.dots ?? []
    let agreed = known.digest(of: path).map { (digest: $0, dots: dots) }
    guard let present = state.presentation(of: path, agreed: agreed) else { return nil }
    return Entry(
      path: path, revision: Revision(of: present.dots), digest: present.digest, size: present.size,
      concurrent: present.concurrent)
  }

  // MARK: The mesh

  /// A state with the contents that it lists.
  struct Head: Sendable {
    var state: MeshState
    var contents: [Digest: Content]
  }

  var head: Head { Head(state: state, contents: contents) }

  /// Joins a state, after fetching at most `limit` contents.
  func join(_ head: Head, atMost limit: Int, renewedAs writer: UInt64) -> (
    result: MeshState.JoinResult, isRenamed: Bool
  ) {
    var isRenamed = false
    if state.wasOvertaken(by: head.state) {
      let renamed = state.renew(as: Writer(id: writer), after: head.state, milliseconds: milliseconds())
      isRenamed = !renamed.isEmpty
    }
    var room = limit
    let result = state.join(head.state) { version in
      if contents[version.digest] != nil { return true }
      guard room > 0, let content = head.contents[version.digest] else { return false }
      room -= 1
      contents[version.digest] = content
      return true
    }
    return (result, isRenamed)
  }

  func restore(_ head: Head, renewedAs writer: UInt64?) {
    (state, contents) = (head.state, head.contents)
    if let writer { state.renew(as: Writer(id: writer)) }
  }

  /// What a state lists and has seen, as plain values: two devices that agree have the same.
  struct Facts: Hashable, Sendable {
    /// The contents of each path by the names of their versions.
    var files: [SyncPath: [Dot: Digest]]
    /// The highest number of each writer that was seen.
    var seen: [Writer: UInt64]
    var waiting: Set<SyncPath>

    /// The contents of each path.
    var contents: [SyncPath: Set<Digest>] { files.mapValues { Set($0.values) } }
  }

  var facts: Facts {
    Facts(
      files: state.files.mapValues { Dictionary($0.map { ($0.dot, $0.digest) }, uniquingKeysWith: { $1 }) },
      seen: state.context.numbers, waiting: state.waiting)
  }

  /// The versions whose contents the device does not have; always none.
  var unserved: [SyncPath] {
    state.files.filter { $0.value.contains { contents[$0.digest] == nil } }.map(\.key)
  }
}
