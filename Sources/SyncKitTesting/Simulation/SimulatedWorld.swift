import SyncKit

/// Two devices, one remote, people, and what goes wrong.
struct SimulatedWorld: Sendable {
  static let remoteName = "remote"

  let engine: Simulation.Engine
  let ledger = Ledger()
  let remote: MemoryStorage
  let devices: [SimulatedDevice]
  /// What programs wrote to stores and the remote.
  let writes = Tally()
  let crashes = Tally()
  let faults = Tally()
  let passes = Tally()
  /// Takes every effect down, if somebody wants to know.
  let trace: Trace?
  private let backups = Backups()

  init(seed: UInt64, engine: @escaping Simulation.Engine, trace: Trace?) {
    var generator = SplitMix64(state: seed &+ 1)
    self.engine = engine
    self.trace = trace
    remote = MemoryStorage(isFirm: Bool.random(using: &generator), hasRoot: false)
    devices = DeviceIndex.allCases.map {
      SimulatedDevice($0, seed: generator.next(), isFirm: Bool.random(using: &generator))
    }
  }

  func perform(_ step: Step) async {
    let editor = Editor(ledger: ledger)
    switch step.kind {
    case .edit(let edit, let place): await editor.perform(edit, in: self[place], seed: step.seed)
    case .sameEdit: await editor.performAlike(in: devices.map(\.store), seed: step.seed)
    case .rollBack(let index): await backups.putBack(devices[index.rawValue].archive, of: index, seed: step.seed)
    case .pass(let index, let disturbances, let share):
      let events = Dictionary(
        disturbances.map { ($0.moment, event($0, in: index, seed: step.seed)) }, uniquingKeysWith: { $1 })
      let plan = FaultPlan.random(seed: step.seed, share: share, of: Fault.honest)
      _ = await pass(of: devices[index.rawValue], events: events, plan: plan)
    }
  }

  /// One pass of a device, in a process of its own.
  func pass(
    of device: SimulatedDevice, events: [Int: Life.Event] = [:], plan: FaultPlan = .none
  ) async -> PassReport {
    await backups.take(device.archive.backup, of: device.index)
    trace?.note("\(device.index) device")
    let life = Life(events: events, trace: trace)
    let place = FaultyStorage(WatchedStorage(storage: remote, ledger: ledger, writes: writes), plan: plan)
    let report = await engine(parts(of: device, life: life, storage: MortalStorage(storage: place, life: life)))
    await passes.add()
    await faults.add(await place.faults)
    if await life.hasCrashed {
      await crashes.add()
      await device.archive.crash()
    }
    return report
  }

  private func parts(of device: SimulatedDevice, life: Life, storage: any Storage) -> PassParts {
    let archive = MortalArchive(archive: device.archive, life: life)
    let remoteParts = RemoteParts(
      name: Self.remoteName, storage: storage, device: device.device, world: device.world, contents: archive,
      journal: archive.journal(of: Self.remoteName))
    return PassParts(
      name: Self.remoteName,
      local: MortalReplica(replica: device.store, life: life, ledger: ledger, writes: writes),
      remote: StorageReplica(storage, remoteParts), archive: archive, merger: LineMerger(), device: device.device,
      world: device.world)
  }

  private func event(_ disturbance: Disturbance, in index: DeviceIndex, seed: UInt64) -> Life.Event {
    switch disturbance.kind {
    case .crash: .crash
    case .edit(let edit, let place):
      .interruption { await Editor(ledger: ledger).perform(edit, in: self[place], seed: seed) }
    case .otherPass: .interruption { _ = await pass(of: devices[index.other.rawValue]) }
    }
  }

  private subscript(place: Place) -> any Editable {
    switch place {
    case .firstStore: devices[0].store
    case .secondStore: devices[1].store
    case .remote: remote
    }
  }
}

/// The archives as they were before each pass.
private actor Backups {
  private var taken: [DeviceIndex: [MemoryArchive.Backup]] = [:]

  func take(_ backup: MemoryArchive.Backup, of device: DeviceIndex) { taken[device, default: []].append(backup) }

  func putBack(_ archive: MemoryArchive, of device: DeviceIndex, seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    guard let backup = taken[device]?.randomElement(using: &generator) else { return }
    await archive.restore(backup)
  }
}
