import SyncKit

/// A place whose files a user can change directly.
protocol Editable: Sendable {
  var contents: [SyncPath: Content] { get async }
  func put(_ content: Content, at path: SyncPath) async
  func take(_ path: SyncPath) async
}

extension MemoryReplica: Editable {}
extension MemoryStorage: Editable {}

/// A user's action on the files of one place.
enum Edit: String, CaseIterable, Sendable {
  case create, append, change, rewrite, delete, rename, editedRename, copy, swap, restore
}

/// A user who changes files and records that in the ledger.
struct Editor: Sendable {
  let ledger: Ledger
  /// Files that are never changed.
  var spared: Set<SyncPath> = []

  static let paths = ["a.org", "b.org", "c.org", "d/a.org", "d/b.org", "d", "e.txt", "f/g/h.org"].compactMap {
    SyncPath($0)
  }

  /// Performs an action if there are files for it; `seed` chooses the files.
  /// - Parameter paths: The files to choose from, if there is one; nil for all.
  func perform(_ edit: Edit, in replica: any Editable, seed: UInt64, among paths: Set<SyncPath>? = nil) async {
    var generator = SplitMix64(state: seed)
    let files = await replica.contents.filter { !ReservedName.isReserved($0.key.name) && !spared.contains($0.key) }
    let named = paths.map { files.keys.filter($0.contains) } ?? []
    let taken = (named.isEmpty ? Array(files.keys) : named).sorted()
    let free = Self.paths.filter { isFree($0, in: files) }
    guard let target = taken.randomElement(using: &generator) else {
      return await write([await ledger.newLine()], at: free.randomElement(using: &generator), in: replica)
    }
    let lines = await Lines.of(files[target])
    switch edit {
    case .create: await write([await ledger.newLine()], at: free.randomElement(using: &generator), in: replica)
    case .append: await write(lines + [await ledger.newLine()], at: target, in: replica)
    case .change: await write(lines.dropLast() + [await ledger.newLine()], at: target, in: replica)
    case .rewrite: await write([await ledger.newLine(), await ledger.newLine()], at: target, in: replica)
    case .delete: await apply([(target, nil)], in: replica)
    case .copy: await write(lines, at: free.randomElement(using: &generator), in: replica)
    case .rename:
      guard let name = free.randomElement(using: &generator) else { return }
      await apply([(target, nil), (name, files[target])], in: replica)
    case .editedRename:
      guard let name = free.randomElement(using: &generator) else { return }
      await apply([(target, nil), (name, Lines.content(lines + [await ledger.newLine()]))], in: replica)
    case .swap:
      guard let other = taken.randomElement(using: &generator) else { return }
      await apply([(target, files[other]), (other, files[target])], in: replica)
    case .restore:
      guard let old = await ledger.written.randomElement(using: &generator) else { return }
      await apply([(target, old)], in: replica)
    }
  }

  /// Removes every file.
  func clear(_ replica: any Editable) async {
    let files = await replica.contents.keys.filter { !ReservedName.isReserved($0.name) }.sorted()
    await apply(files.map { ($0, nil) }, in: replica)
  }

  /// Writes the same new file, or the same new line of a file, in two places.
  func performAlike(in replicas: [any Editable], seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    guard let path = Self.paths.randomElement(using: &generator) else { return }
    let line = await ledger.newLine()
    for replica in replicas {
      let files = await replica.contents
      guard files[path] != nil || isFree(path, in: files) else { continue }
      await write(await Lines.of(files[path]) + [line], at: path, in: replica)
    }
  }

  private func isFree(_ path: SyncPath, in files: [SyncPath: Content]) -> Bool {
    files.keys.allSatisfy { $0 != path && !$0.isInside(path) && !path.isInside($0) }
  }

  private func write(_ lines: [String], at path: SyncPath?, in replica: any Editable) async {
    guard let path else { return }
    await apply([(path, Lines.content(lines))], in: replica)
  }

  private func apply(_ changes: [(path: SyncPath, content: Content?)], in replica: any Editable) async {
    let files = await replica.contents
    var replacements: [Replacement] = []
    for (path, content) in changes {
      replacements.append(await Replacement(files[path], content))
      if let content { await replica.put(content, at: path) } else { await replica.take(path) }
    }
    await ledger.record(replacements)
  }
}
