import SyncKit
import SyncKitTesting

/// The engine itself, run on a tiny state until all is quiet.
enum RealEngine {
  private static let paths = ["x", "y", "z"].compactMap { SyncPath($0) }
  /// The contents 1, 2 and 3; 0 means no file.
  private static let contents: [Content?] = [nil] + ["one", "two", "three"].map { Content(Array($0.utf8)) }
  private static let numbers = Dictionary(
    uniqueKeysWithValues: contents.enumerated().compactMap { number, content in
      content.map { ($0.digest, UInt8(number)) }
    })
  private static let name = "remote"
  private static let passes = 3

  static func end(of state: TinyState) async throws -> TinyEnd {
    let local = MemoryReplica(address: "local", identity: "local")
    let remote = MemoryReplica(address: "remote", identity: "remote")
    let archive = MemoryArchive()
    try await agree(on: state.base, local, remote, archive)
    await edit(local, from: state.base, to: state.local)
    await edit(remote, from: state.base, to: state.remote)
    let parts = PassParts(
      name: name, local: local, remote: remote, archive: archive, merger: NoMerger(),
      device: Device(id: "device", name: "device"), runtime: .seeded(1))
    for _ in 0..<passes {
      _ = await SyncPass(parts).run()
      await archive.allowHeld(of: name)
    }
    return await end(local, remote, archive)
  }

  /// Records a base as the last common state of both sides.
  private static func agree(
    on base: TinyState.Files, _ local: MemoryReplica, _ remote: MemoryReplica, _ archive: MemoryArchive
  ) async throws {
    await edit(local, from: [0, 0, 0], to: base)
    await edit(remote, from: [0, 0, 0], to: base)
    guard base != [0, 0, 0] else { return }
    var record = Record(remote: name)
    record.roots = (await local.claim(), await remote.claim())
    let (here, there) = (await local.list(since: Known()), await remote.list(since: Known()))
    record.agreements = zip(paths, base).compactMap { path, number in
      guard let digest = contents[Int(number)]?.digest, let one = here[path], let other = there[path] else {
        return nil
      }
      return Agreement(path: path, digest: digest, local: one.revision, remote: other.revision)
    }
    try await archive.record(record)
  }

  private static func edit(_ replica: MemoryReplica, from old: TinyState.Files, to new: TinyState.Files) async {
    for (index, path) in paths.enumerated() where old[index] != new[index] {
      if let content = contents[Int(new[index])] {
        await replica.put(content, at: path)
      } else {
        await replica.take(path)
      }
    }
  }

  private static func end(_ local: MemoryReplica, _ remote: MemoryReplica, _ archive: MemoryArchive) async -> TinyEnd {
    let (here, there) = (await local.contents, await remote.contents)
    return TinyEnd(
      local: files(here), remote: files(there), localCopies: copies(here), remoteCopies: copies(there),
      history: Set(await archive.library.durable.compactMap { numbers[$0] }))
  }

  private static func files(_ contents: [SyncPath: Content]) -> TinyState.Files {
    paths.map { contents[$0].flatMap { numbers[$0.digest] } ?? 0 }
  }

  private static func copies(_ contents: [SyncPath: Content]) -> [UInt8] {
    contents.filter { !paths.contains($0.key) }.compactMap { numbers[$0.value.digest] }.sorted()
  }
}

/// Merges nothing, so that two edits are kept side by side.
private struct NoMerger: ContentMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { false }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { false }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] { [:] }
}
