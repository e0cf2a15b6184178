import SyncKit

/// A line that is captured beside a pass: the inbox is read at one moment and written at a later one.
actor Capture {
  private let person: Person
  private let line: String
  private let command: StoreCommand
  private var entry: Entry?
  private var isFinished = false

  init(_ line: String, by person: Person) {
    self.person = person
    self.line = line
    let store = MortalReplica(
      replica: person.device.store, life: Life(events: [:], trace: nil), ledger: person.ledger, writes: Tally())
    command = StoreCommand(store: store, archive: person.device.archive)
  }

  func begin() async {
    // A store in memory can be read.
    entry = (try? await command.present(StoreCommand.inbox)) ?? nil
  }

  /// Writes the inbox that was read, or reads it again if it has changed. Later calls do nothing.
  func finish() async {
    guard !isFinished else { return }
    isFinished = true
    await person.recording { [command, line, entry] () throws(SyncError) in
      if try await !command.add(line, to: entry) { try await command.capture(line) }
    }
  }
}
