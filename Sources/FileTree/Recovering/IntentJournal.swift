internal import SyncKit

/// The intents of one tree in the journal of its store or remote.
struct IntentJournal {
  let journal: any Journal
  let state: TreeState
  let reach: @Sendable (TreeFailpoint) throws(SyncError) -> Void

  /// Records contents to replace and to publish; durable on return.
  func open(_ intents: [Intent], _ evidence: [WriteEvidence] = []) async throws(SyncError) {
    guard !intents.isEmpty || !evidence.isEmpty else { return }
    try reach(.intentWriting)
    for intent in intents { state.hold(intent.temporary) }
    let records = intents.map { ($0.key, $0.record) } + evidence.map { ($0.key, $0.record) }
    try await journal.write(Dictionary(records, uniquingKeysWith: { $1 }))
    try reach(.intentWritten)
  }

  /// Writes the results of intents: removes the records of those that are resolved, and changes the others.
  func close(_ closings: [String: [UInt8]?]) async throws(SyncError) {
    guard !closings.isEmpty else { return }
    try reach(.intentClosing)
    try await journal.write(closings)
    for (key, record) in closings where record == nil { Intent.temporary(of: key).map(state.release) }
    try reach(.intentClosed)
  }

  /// Returns the evidence for the tree whose root has this id, in a fixed order.
  func evidence(of root: String) async throws(SyncError) -> [WriteEvidence] {
    try await journal.records().compactMap { WriteEvidence(key: $0.key, record: $0.value) }
      .filter { $0.root == root }.sorted { $0.key < $1.key }
  }

  /// Returns the open intents of the tree whose root has this id, in a fixed order.
  func intents(of root: String) async throws(SyncError) -> [Intent] {
    let intents = try await journal.records().compactMap { Intent(key: $0.key, record: $0.value) }
    for intent in intents { state.hold(intent.temporary) }
    return intents.filter { $0.root == root }.sorted { $0.key < $1.key }
  }
}
