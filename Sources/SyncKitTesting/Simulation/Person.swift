import SyncKit

/// A person who runs commands on a device. The ledger records what they change as that person's edits.
struct Person: Sendable {
  let device: SimulatedDevice
  let ledger: Ledger
  /// Files that are neither restored nor undone.
  let spared: Set<SyncPath>

  /// Runs a command in a process that may be killed; `seed` chooses the files.
  /// - Parameter last: The last pass of the device.
  func run(_ command: Command, life: Life, writes: Tally, undoing last: PastPass?, seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    let store = MortalReplica(replica: device.store, life: life, ledger: ledger, writes: writes)
    let process = StoreCommand(store: store, archive: MortalArchive(archive: device.archive, life: life))
    let version = await device.archive.backup.versions.filter { !spared.contains($0.path) }
      .randomElement(using: &generator)
    let line = command == .capture ? await ledger.newLine() : ""
    await recording { () throws(SyncError) in
      switch command {
      case .restore: if let version { try await restore(version, process) }
      case .undo:
        for change in last?.changes ?? [] where !spared.contains(change.path) { try await process.undo(change) }
      case .capture: try await process.capture(line)
      }
    }
    if await life.hasCrashed { await device.archive.crash() }
  }

  private func restore(_ version: Version, _ process: StoreCommand) async throws(SyncError) {
    guard let content = try await process.archive.content(version.digest) else { return }
    try await process.replace(try await process.present(version.path), by: content, at: version.path)
  }

  /// Records what `work` changes in the store, even if it is killed.
  func recording(_ work: () async throws(SyncError) -> Void) async {
    let before = await device.store.contents
    // A command that was killed has done a part of its work.
    do { try await work() } catch {}
    let after = await device.store.contents
    var replacements: [Replacement] = []
    for path in Set(before.keys).union(after.keys).sorted() where before[path]?.digest != after[path]?.digest {
      replacements.append(await Replacement(before[path], after[path]))
    }
    await ledger.record(command: replacements)
    let inbox = StoreCommand.inbox
    await ledger.noteCaptured(Set(await Lines.of(after[inbox])).subtracting(await Lines.of(before[inbox])))
  }
}
