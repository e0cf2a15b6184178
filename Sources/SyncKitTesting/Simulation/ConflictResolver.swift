import SyncKit

/// The conflicts that a store shows, and a person who resolves them.
struct ConflictResolver: Sendable {
  let person: Person

  /// Returns true if a content has conflict marks.
  static func isMarked(_ content: Content) async -> Bool { await Lines.of(content).contains(LineMerger.mark) }

  /// Returns the path that this one is a conflict copy of; nil if it is none.
  static func original(of path: SyncPath) -> SyncPath? {
    let name = String(decoding: path.name, as: UTF8.self)
    guard let mark = name.firstRange(of: ".conflict-") else { return nil }
    let ending = name[mark.upperBound...].lastIndex(of: ".").map { name[$0...] } ?? ""
    return path.sibling(Array("\(name[..<mark.lowerBound])\(ending)".utf8))
  }

  /// Resolves every conflict of the store: keeps one of two files under the name and removes the copy, or removes the marks and one
  /// of the lines. `seed` makes the choices.
  func resolveAll(seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    let (store, archive) = (person.device.store, person.device.archive)
    let command = StoreCommand(store: store, archive: archive)
    let files = await store.contents
    var edits: [(path: SyncPath, content: Content?)] = []
    for path in files.keys.sorted() {
      guard let content = files[path] else { continue }
      if let original = Self.original(of: path) {
        if Bool.random(using: &generator), files[original] != nil { edits.append((original, content)) }
        edits.append((path, nil))
      } else if await Self.isMarked(content) {
        let lines = await Lines.of(content).filter { $0 != LineMerger.mark }
        edits.append((path, Lines.content(lines.count > 1 ? lines.dropLast() : lines)))
      }
    }
    await person.recording { [edits] () throws(SyncError) in
      for (path, content) in edits { try await command.replace(try await command.present(path), by: content, at: path) }
    }
    for remote in person.device.remotes.map(SimulatedNetwork.name(ofRemote:)) {
      var record = Record(remote: remote)
      record.resolved = await archive.memory(of: remote).conflicts
      // An archive in memory does not fail.
      try? await archive.record(record)
    }
  }
}
