internal import SyncKit

/// The open intents of one remote, in the journal.
struct Intents {
  private let journal: any Journal
  private static let prefix = "rsync.intent."

  init(_ journal: any Journal) { self.journal = journal }

  /// Returns the open intents, oldest first.
  func open() async throws(SyncError) -> [(key: String, intent: Intent)] {
    try await journal.records().filter { $0.key.hasPrefix(Self.prefix) }.sorted { $0.key < $1.key }
      .compactMap { key, record in Intent(record: record).map { (key, $0) } }
  }

  /// Records an intent durably; returns the key for closing it.
  func begin(_ intent: Intent, at time: Timestamp) async throws(SyncError) -> String {
    let digits = "\(max(0, time.nanoseconds))"
    let key = Self.prefix + String(repeating: "0", count: max(0, 20 - digits.count)) + digits + intent.suffix
    try RsyncFailpoint.intentWriting.reach()
    try await journal.write([key: intent.record])
    try RsyncFailpoint.intentWritten.reach()
    return key
  }

  func close(_ key: String) async throws(SyncError) {
    try RsyncFailpoint.intentClosing.reach()
    try await journal.write([key: nil] as [String: [UInt8]?])
    try RsyncFailpoint.intentClosed.reach()
  }
}
