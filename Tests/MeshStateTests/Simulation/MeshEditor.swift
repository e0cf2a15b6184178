import SyncKit

@testable import SyncKitTesting

/// A person who changes the files of one device, and whose actions are recorded.
struct MeshEditor: Sendable {
  let store: MemoryReplica
  let device: Int
  let ledger: Ledger
  let happenings: Happenings
  let kind: MeshHistory.Kind

  func perform(_ edit: MeshEdit, seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    let files = await store.contents
    let names = newNames
    let isOwn = { (path: SyncPath) in kind != .alone || names.contains(path) }
    let editable = files.keys.filter(isOwn).sorted()
    guard edit != .delete else {
      if let path = files.keys.sorted().randomElement(using: &generator) { await put(nil, at: path, files) }
      return
    }
    let target = edit == .create ? nil : editable.randomElement(using: &generator)
    guard let path = target ?? names.randomElement(using: &generator) else { return }
    var lines = await Lines.of(files[path])
    switch edit {
    case .create, .append, .appendAgain, .delete: break
    case .replaceLine: if let index = lines.indices.randomElement(using: &generator) { lines.remove(at: index) }
    case .overwrite: lines = []
    }
    // Files that are not merged are written whole.
    if !LineMerger().merges(path, size: 0) { lines = [] }
    await put(lines + [await ledger.newLine()], at: path, files)
  }

  /// The names of new files, some of which every device uses.
  private var newNames: [SyncPath] {
    let names =
      kind == .alone
      ? (0..<3).map { "own\(device)-\($0).org" } + ["own\(device).txt"]
      : ["0.org", "1.org", "2.org", "3.org", "a.txt", "b.txt"]
    return names.compactMap { SyncPath($0) }
  }

  private func put(_ lines: [String]?, at path: SyncPath, _ files: [SyncPath: Content]) async {
    let content = lines.map(Lines.content)
    let replacement = await Replacement(files[path], content)
    if let content { await store.put(content, at: path) } else { await store.take(path) }
    await ledger.record([replacement])
    await happenings.recordAction(
      at: path, on: device, removed: replacement.old.subtracting(replacement.new), lines: lines)
  }
}
