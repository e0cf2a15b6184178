import SyncKit

/// Devices, remotes, people, and faults.
struct SimulatedNetwork: Sendable {
  let engine: Simulation.Engine
  let ledger = Ledger()
  let remotes: [MemoryStorage]
  let devices: [SimulatedDevice]
  /// The number of writes by programs to stores and remotes.
  let writes = Tally()
  let crashes = Tally()
  let faults = Tally()
  let passes = Tally()
  /// Records every effect, if a test needs it.
  let trace: Trace?
  private let backups = Backups()
  private let ignored = IgnoredFiles()
  private let pastPasses = PastPasses()
  /// Files that only captures change.
  let spared: Set<SyncPath>

  init(
    seed: UInt64, topology: Topology, spared: Set<SyncPath> = [], engine: @escaping Simulation.Engine, trace: Trace?
  ) {
    self.spared = spared
    var generator = SplitMix64(state: seed &+ 1)
    self.engine = engine
    self.trace = trace
    remotes = (0..<topology.remoteCount).map { index in
      MemoryStorage(address: "remote \(index):", isFirm: Bool.random(using: &generator), hasRoot: false)
    }
    devices = topology.remotes.enumerated().map { index, remotes in
      SimulatedDevice(index, remotes: remotes, seed: generator.next(), isFirm: Bool.random(using: &generator))
    }
  }

  static func name(ofRemote index: Int) -> String { "remote\(index)" }

  /// Performs a step that needs no oracle.
  func perform(_ step: Step) async {
    let editor = editor
    switch step.kind {
    case .edit(let edit, let replica): await editor.perform(edit, in: self[replica], seed: step.seed)
    case .editHalfMade(let edit, let replica, let index, let remote):
      let memory = await devices[index].archive.memory(of: Self.name(ofRemote: remote))
      await editor.perform(edit, in: self[replica], seed: step.seed, among: Set(memory.intended.map(\.path)))
    case .sameEdit: await editor.performAlike(in: devices.prefix(2).map(\.store), seed: step.seed)
    case .rollBack(let index): await backups.restore(devices[index].archive, of: index, seed: step.seed)
    case .restoreRemote(let index): await restoreRemote(index, seed: step.seed)
    case .ignore(let index, let pattern): await ignored.set(pattern, of: index)
    case .clear(let replica): await editor.clear(self[replica])
    case .deny(let index, let remote): await deny(devices[index], Self.name(ofRemote: remote))
    case .pass(let index, let remote, let disturbances, let share):
      var events = Dictionary(
        disturbances.compactMap { disturbance in event(disturbance, seed: step.seed).map { (disturbance.moment, $0) } },
        uniquingKeysWith: { $1 })
      let captures = await addCaptures(disturbances, to: &events)
      let plan = FaultPlan.random(seed: step.seed, share: share, of: Fault.honest)
      _ = await pass(of: devices[index], with: remote, events: events, plan: plan)
      for capture in captures { await capture.finish() }
    case .command(let command, let index, let moment):
      let life = Life(events: moment.map { [$0: .crash] } ?? [:], trace: trace)
      let last = await pastPasses.last(of: index)
      await person(on: index).run(command, life: life, writes: writes, undoing: last, seed: step.seed)
    case .resolve, .spread: break
    }
  }

  /// Lets every device sync all files again, so that all of them can agree.
  func ignoreNothing() async { await ignored.clear() }

  /// Restores a remote from a backup, unless a device has not recorded or stamped its last changes.
  ///
  /// A device notices a restore by its stamp, which is the number of changes of its base. If it crashed before the stamp, a backup
  /// may have the same stamp and lack files that the device received; then it looks as if a person removed them. Lines that only
  /// the remote had are no longer owed: no store and no other remote has them.
  private func restoreRemote(_ index: Int, seed: UInt64) async {
    for device in devices where device.remotes.contains(index) {
      let memory = await device.archive.memory(of: Self.name(ofRemote: index))
      let isStamped = memory.isFirstPass || memory.remoteRoot?.generation == memory.generation
      guard isStamped, memory.intended.isEmpty else { return }
    }
    let former = await lines(of: .remote(index))
    guard await backups.restore(remotes[index], of: index, seed: seed) else { return }
    var live: Set<String> = []
    for replica in replicas { live.formUnion(await lines(of: replica)) }
    await ledger.lose(former.subtracting(live))
  }

  private func lines(of replica: ReplicaID) async -> Set<String> {
    var lines: Set<String> = []
    for content in await contents(of: replica).values { lines.formUnion(await Lines.of(content)) }
    return lines
  }

  private func deny(_ device: SimulatedDevice, _ remote: String) async {
    guard let items = await device.archive.memory(of: remote).hold?.items else { return }
    // The journal in memory does not fail.
    try? await DeniedDeletions(in: device.archive.journal(of: remote)).add(items)
  }

  /// Runs one pass of a device with one of its remotes, in a separate process.
  func pass(
    of device: SimulatedDevice, with remote: Int, events: [Int: Life.Event] = [:], plan: FaultPlan = .none
  ) async -> PassReport {
    let before = await device.archive.backup
    await backups.add(before, of: device.index)
    await backups.add(remotes[remote].backup, ofRemote: remote)
    trace?.record("device \(device.index)")
    let life = Life(events: events, trace: trace)
    let faulty = FaultyStorage(WatchedStorage(storage: remotes[remote], ledger: ledger, writes: writes), plan: plan)
    let storage = MortalStorage(storage: faulty, life: life)
    let report = await engine(
      parts(
        of: device, life: life, name: Self.name(ofRemote: remote), storage: storage,
        filter: await ignored.filter(of: device.index)))
    await passes.add()
    await pastPasses.add(PastPass(from: before, to: await device.archive.backup), of: device.index)
    await faults.add(await faulty.faults)
    if await life.hasCrashed {
      await crashes.add()
      await device.archive.crash()
    }
    return report
  }

  /// All stores and remotes.
  var replicas: [ReplicaID] { devices.indices.map(ReplicaID.store) + remotes.indices.map(ReplicaID.remote) }

  /// The user's files in one place.
  func contents(of replica: ReplicaID) async -> [SyncPath: Content] {
    await self[replica].contents.filter { !ReservedName.isReserved($0.key.name) }
  }

  private func parts(
    of device: SimulatedDevice, life: Life, name: String, storage: any Storage, filter: PathFilter
  ) -> PassParts {
    let archive = MortalArchive(archive: device.archive, life: life)
    let remoteParts = RemoteParts(
      name: name, storage: storage, device: device.device, runtime: device.runtime, contents: archive,
      journal: archive.journal(of: name))
    return PassParts(
      name: name, local: MortalReplica(replica: device.store, life: life, ledger: ledger, writes: writes),
      remote: StorageReplica(storage, remoteParts), archive: archive, merger: LineMerger(), device: device.device,
      runtime: device.runtime, options: PassOptions(filter: filter))
  }

  private var editor: Editor { Editor(ledger: ledger, spared: spared) }

  func person(on index: Int) -> Person { Person(device: devices[index], ledger: ledger, spared: spared) }

  /// Adds the moments at which captured lines are read and written, unless something else happens then. Those that are not written
  /// in time are to be finished after the pass.
  private func addCaptures(_ disturbances: [Disturbance], to events: inout [Int: Life.Event]) async -> [Capture] {
    var captures: [Capture] = []
    for disturbance in disturbances {
      guard case .capture(let index, let later) = disturbance.kind else { continue }
      let capture = Capture(await ledger.newLine(), by: person(on: index))
      let moments: [Int: Life.Event] = [
        disturbance.moment: .interruption { await capture.begin() },
        disturbance.moment + later: .interruption { await capture.finish() },
      ]
      events.merge(moments) { former, _ in former }
      captures.append(capture)
    }
    return captures
  }

  private func event(_ disturbance: Disturbance, seed: UInt64) -> Life.Event? {
    switch disturbance.kind {
    case .crash: .crash
    case .edit(let edit, let replica):
      .interruption { await editor.perform(edit, in: self[replica], seed: seed) }
    case .otherPass(let index, let remote): .interruption { _ = await pass(of: devices[index], with: remote) }
    case .capture: nil
    }
  }

  private subscript(replica: ReplicaID) -> any Editable {
    switch replica {
    case .store(let index): devices[index].store
    case .remote(let index): remotes[index]
    }
  }
}
