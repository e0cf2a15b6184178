internal import RsyncWire
internal import SyncKit

/// Files that are about to get another name, recorded in advance: after a crash it names the links to check.
struct RenameIntent: Hashable, Sendable {
  enum Phase: UInt8, Sendable {
    /// The new names are made; no old name was removed yet.
    case linking = 1
    /// Old names may have been removed, so that another file may have one of them.
    case removing = 2
  }

  struct Item: Hashable, Sendable {
    var old: SyncPath
    var new: SyncPath
    /// The MD5 of the version that gets the new name.
    var hash: [UInt8]

    func status(in files: [SyncPath: ListedFile]) -> LinkStatus {
      LinkStatus(old: files[old].map(\.identity), new: files[new].map(\.identity), expected: hash)
    }
  }

  var phase = Phase.linking
  var items: [Item]

  /// Returns true if the new name is certainly a second name of the file that has the old one, so that it can be removed.
  func isLink(_ item: Item, in files: [SyncPath: ListedFile]) -> Bool {
    guard let old = files[item.old], let new = files[item.new], old.kind == .file, new.kind == .file,
      let hash = new.hash
    else { return false }
    return hash == old.hash || phase == .linking && hash == item.hash
  }

  // MARK: The record

  init(items: [Item]) { self.items = items }

  var record: [UInt8] {
    [phase.rawValue] + RecordParts.encoded(items.flatMap { [$0.old.bytes, $0.new.bytes, $0.hash] })
  }

  /// Decodes a record; returns nil if it is not an intent.
  init?(record: [UInt8]) {
    guard let phase = record.first.flatMap(Phase.init), let parts = RecordParts.decoded(record.dropFirst()),
      parts.count.isMultiple(of: 3)
    else { return nil }
    self.phase = phase
    items = []
    for start in stride(from: 0, to: parts.count, by: 3) {
      guard let old = SyncPath(bytes: parts[start]), let new = SyncPath(bytes: parts[start + 1]) else { return nil }
      items.append(Item(old: old, new: new, hash: parts[start + 2]))
    }
  }
}

/// The open rename intents of one remote, in the journal.
struct RenameIntents {
  private let journal: any Journal
  private static let prefix = "rsync.rename."

  init(_ journal: any Journal) { self.journal = journal }

  func open() async throws(SyncError) -> [(key: String, intent: RenameIntent)] {
    try await journal.records().filter { $0.key.hasPrefix(Self.prefix) }.sorted { $0.key < $1.key }
      .compactMap { key, record in RenameIntent(record: record).map { (key, $0) } }
  }

  /// Records an intent durably; returns the key for updating and closing it.
  func begin(_ intent: RenameIntent, _ runtime: Runtime) async throws(SyncError) -> String {
    let key = Self.prefix + runtime.uniqueName()
    try await update(key, intent)
    try RsyncFailpoint.renameRecorded.reach()
    return key
  }

  func update(_ key: String, _ intent: RenameIntent) async throws(SyncError) {
    try await journal.write([key: intent.record])
  }

  func close(_ key: String) async throws(SyncError) {
    try RsyncFailpoint.renameClosing.reach()
    try await journal.write([key: nil] as [String: [UInt8]?])
    try RsyncFailpoint.renameClosed.reach()
  }
}
