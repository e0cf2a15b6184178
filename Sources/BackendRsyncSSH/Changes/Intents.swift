internal import SyncKit

/// The intents of one remote that were not closed, in the journal.
struct Intents {
  private let journal: any Journal
  private static let prefix = "rsync.intent."

  init(_ journal: any Journal) { self.journal = journal }

  /// Those that are open, the oldest first.
  func open() async throws(SyncError) -> [(key: String, intent: Intent)] {
    try await journal.records().filter { $0.key.hasPrefix(Self.prefix) }.sorted { $0.key < $1.key }
      .compactMap { key, record in Intent(record: record).map { (key, $0) } }
  }

  /// Records an intent durably; returns the key to close it by.
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
