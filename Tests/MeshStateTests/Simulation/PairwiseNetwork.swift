import SyncKit

@testable import SyncKitTesting

/// The control: the same devices and people with another design, in which each device syncs with the files that each other one
/// has published, and has a base with each.
///
/// A base of two devices says nothing about what reached one of them through a third, so that deleted files
/// come back. The oracle must notice that.
actor PairwiseNetwork {
  private struct Device {
    let store: MemoryReplica
    let archive: MemoryArchive
    let runtime: Runtime
    var published: [SyncPath: Content] = [:]
    var isPresent: Bool
  }

  private var devices: [Device]
  private var peers: [[MemoryReplica?]]
  private let ledger = Ledger()
  private let happenings: Happenings

  init(deviceCount: Int, seed: UInt64) {
    devices = (0..<deviceCount).map { index in
      let runtime = Runtime.seeded(seed &+ UInt64(index))
      return Device(
        store: MemoryReplica(address: "store of device \(index)", identity: "\(index)"),
        archive: MemoryArchive(now: runtime.now), runtime: runtime, isPresent: !index.isMultiple(of: 3))
    }
    peers = Array(repeating: Array(repeating: nil, count: deviceCount), count: deviceCount)
    happenings = Happenings(deviceCount: deviceCount)
  }

  /// Runs a history in which each file has one author. Returns true if the devices are equal in the end, and all files that only
  /// one person touched are as that person left them.
  static func keepsPromises(_ history: MeshHistory, seed: UInt64) -> Bool {
    SteppedExecutor().run {
      let network = PairwiseNetwork(deviceCount: history.deviceCount, seed: seed)
      for step in history.steps { await network.perform(step) }
      return await network.agrees()
    }
  }

  private func perform(_ step: MeshStep) async {
    switch step.kind {
    case .edit(let edit):
      let editor = MeshEditor(
        store: devices[step.device].store, device: step.device, ledger: ledger, happenings: happenings, kind: .alone)
      await editor.perform(edit, seed: step.seed)
    case .pass: await pass(step.device)
    case .toggle: devices[step.device].isPresent.toggle()
    case .meet(let other, _, _):
      if devices[step.device].isPresent, devices[other].isPresent { await meet(step.device, other) }
    case .backUp, .restore: break
    }
  }

  /// A device gets what another one has published.
  private func meet(_ device: Int, _ other: Int) async {
    let peer = peers[device][other] ?? MemoryReplica(address: "device \(other)", identity: "device \(other)")
    peers[device][other] = peer
    let (present, files) = (await peer.contents, devices[other].published)
    for path in present.keys where files[path] == nil { await peer.take(path) }
    for (path, content) in files where present[path]?.digest != content.digest { await peer.put(content, at: path) }
  }

  private func pass(_ device: Int) async {
    for (index, peer) in peers[device].enumerated() {
      guard let peer else { continue }
      await devices[device].archive.allowHeld(of: "\(index)")
      _ = await SyncPass(
        PassParts(
          name: "\(index)", local: devices[device].store, remote: peer, archive: devices[device].archive,
          merger: LineMerger(), device: identity(of: device), runtime: devices[device].runtime, options: PassOptions())
      ).run()
    }
    devices[device].published = await devices[device].store.contents
  }

  private func identity(of index: Int) -> SyncKit.Device {
    SyncKit.Device(id: "device\(index)", name: "device\(index)")
  }

  private func agrees() async -> Bool {
    for _ in 0..<12 {
      for device in devices.indices {
        for other in devices.indices where other != device { await meet(device, other) }
        await pass(device)
      }
    }
    let files = await devices[0].store.contents.mapValues(\.digest)
    for device in devices where await device.store.contents.mapValues(\.digest) != files { return false }
    return await happenings.filesOfOneAuthor().allSatisfy { path, lines in
      files[path] == lines.map { Digest(of: Lines.bytes($0)) }
    }
  }
}
