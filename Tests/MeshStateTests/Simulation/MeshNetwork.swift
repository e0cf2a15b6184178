import MeshState
import SyncKit
import Synchronization

@testable import SyncKitTesting

/// The devices of a mesh, people, and faults.
actor MeshNetwork {
  let devices: [MeshDevice]
  let ledger = Ledger()
  let happenings: Happenings
  let kind: MeshHistory.Kind
  private let engine: Simulation.Engine
  private(set) var summary = MeshSimulation.Summary()
  /// The number of files that passes wrote to stores.
  let writes = Tally()
  private var isPresent: [Bool]
  private var heads: [[(head: MemoryMesh.Head, known: Happenings.Knowledge)]]
  private var backups: [MeshDevice.Backup?]
  private var lastWriter: UInt64

  init(_ history: MeshHistory, seed: UInt64, engine: @escaping Simulation.Engine) {
    let clock = SharedClock()
    kind = history.kind
    self.engine = engine
    devices = history.clockErrors.enumerated().map { index, error in
      MeshDevice(index, seed: seed &+ 1, milliseconds: { clock.next(off: error) })
    }
    happenings = Happenings(deviceCount: devices.count)
    isPresent = devices.map { !$0.index.isMultiple(of: 3) }
    heads = devices.map { _ in [] }
    backups = devices.map { _ in nil }
    lastWriter = UInt64(devices.count)
  }

  func perform(_ step: MeshStep) async throws(SimulationFailure.Cause) {
    let device = devices[step.device]
    switch step.kind {
    case .edit(let edit):
      let editor = MeshEditor(
        store: device.store, device: device.index, ledger: ledger, happenings: happenings, kind: kind)
      await editor.perform(edit, seed: step.seed)
    case .pass(let moment): await pass(of: device, killedAt: moment)
    case .toggle: isPresent[step.device].toggle()
    case .meet(let other, let isOld, let limit):
      guard isPresent[step.device], isPresent[other] else { break }
      await meet(device, devices[other], isOld ? step.seed : nil, atMost: limit)
    case .backUp: await backUp(device)
    case .restore(let what): await restore(device, what)
    }
    if step.seed.isMultiple(of: 8) {
      heads[step.device] = await (heads[step.device] + [(device.mesh.head, known(device).state)]).suffix(4)
    }
    let unserved = await device.mesh.unserved
    guard unserved.isEmpty else {
      throw .init("device \(device.index) lists contents that it does not have: \(unserved)")
    }
  }

  // MARK: Passes

  @discardableResult
  func pass(of device: MeshDevice, killedAt moment: Int? = nil) async -> PassReport {
    let life = Life(events: moment.map { [$0: .crash] } ?? [:], trace: nil)
    let happenings = happenings
    let report = await device.pass(engine, life: life, ledger: ledger, writes: writes) { path in
      await happenings.recordCommit(at: path, on: device.index)
    }
    summary.passes += 1
    summary.merges += report.actions.count { $0.kind == .merge || $0.kind == .conflict }
    if await life.hasCrashed { summary.crashes += 1 }
    await recordAgreements(of: device)
    return report
  }

  /// Records the files that are now equal in store, state and base.
  private func recordAgreements(of device: MeshDevice) async {
    let (files, state) = (await device.store.contents, await device.mesh.state)
    let base = await device.archive.memory(of: MeshDevice.remote).base
    for path in Set(files.keys).union(state.files.keys).union(await known(device).store.keys) {
      let digests = Set(state[path].map(\.digest))
      let digest = files[path]?.digest
      guard digests == Set([digest].compactMap(\.self)), base[path]?.digest == digest else { continue }
      await happenings.recordAgreement(at: path, on: device.index)
    }
  }

  // MARK: Meetings

  private func known(_ device: MeshDevice) async -> (store: Happenings.Knowledge, state: Happenings.Knowledge) {
    await happenings.knowledge(of: device.index)
  }

  /// A device gets the state of another one, or an old one of it.
  func meet(_ device: MeshDevice, _ other: MeshDevice, _ old: UInt64? = nil, atMost limit: Int = .max) async {
    var head = await other.mesh.head
    var knowledge = await known(other).state
    if let old, !heads[other.index].isEmpty {
      summary.oldHeads += 1
      (head, knowledge) = heads[other.index][Int(old % UInt64(heads[other.index].count))]
    }
    await join(head, knowledge, by: device, atMost: limit)
  }

  /// A device joins a state that it got from another one.
  func join(
    _ head: MemoryMesh.Head, _ knowledge: Happenings.Knowledge, by device: MeshDevice, atMost limit: Int = .max
  ) async {
    lastWriter += 1
    let (result, isRenamed) = await device.mesh.join(head, atMost: limit, renewedAs: lastWriter)
    if isRenamed { summary.renamings += 1 }
    await happenings.recordJoin(of: knowledge, by: device.index, without: result.waiting)
  }

  /// The states of all devices, each with what it knows.
  func allHeads() async -> [(head: MemoryMesh.Head, known: Happenings.Knowledge)] {
    var all: [(head: MemoryMesh.Head, known: Happenings.Knowledge)] = []
    for device in devices { all.append((await device.mesh.head, await known(device).state)) }
    return all
  }

  // MARK: Backups

  private func backUp(_ device: MeshDevice) async {
    backups[device.index] = MeshDevice.Backup(
      files: await device.store.contents, archive: await device.archive.backup, head: await device.mesh.head,
      known: await known(device))
  }

  private func restore(_ device: MeshDevice, _ what: MeshStep.Restore) async {
    guard let backup = backups[device.index] else { return }
    summary.restores += 1
    lastWriter += 1
    let lines = await lines(of: device)
    await device.archive.restore(backup.archive)
    await device.mesh.restore(backup.head, renewedAs: what == .unnoticed ? nil : lastWriter)
    if what == .disk {
      let files = await device.store.contents
      for path in files.keys where backup.files[path] == nil { await device.store.take(path) }
      for (path, content) in backup.files { await device.store.put(content, at: path) }
    }
    await happenings.restore(device.index, to: backup.known)
    await ledger.lose(lines.subtracting(await liveLines()))
    if what == .unnoticed { await meetBestInformed(device) }
  }

  /// A device meets the one that knows most of its writer's versions before anybody writes to it.
  private func meetBestInformed(_ device: MeshDevice) async {
    let writer = await device.mesh.state.writer
    var best: (number: UInt64, device: MeshDevice)?
    for other in devices where other.index != device.index {
      let number = await other.mesh.state.context[writer]
      if number > best?.number ?? 0 { best = (number, other) }
    }
    if let best { await meet(device, best.device) }
  }

  /// The lines of a device's store and of all versions in its state.
  private func lines(of device: MeshDevice) async -> Set<String> {
    var lines: Set<String> = []
    for content in await device.store.contents.values { lines.formUnion(await Lines.of(content)) }
    let head = await device.mesh.head
    for version in head.state.files.values.joined() {
      lines.formUnion(await Lines.of(head.contents[version.digest]))
    }
    return lines
  }

  private func liveLines() async -> Set<String> {
    var lines: Set<String> = []
    for device in devices { lines.formUnion(await self.lines(of: device)) }
    return lines
  }
}

/// The right time, which advances with each reading, as clocks with different errors show it.
private final class SharedClock: Sendable {
  private let milliseconds = Mutex<Int64>(1_700_000_000_000)

  func next(off error: Int64) -> UInt64 {
    milliseconds.withLock { milliseconds in
      milliseconds += 1
      return UInt64(max(0, milliseconds + error))
    }
  }
}
