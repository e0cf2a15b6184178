import MeshState
import MeshStore
import SyncKit

extension MeshNetwork {
  /// Lets the helper serve the segments that this device has, and no others.
  func serve() async throws(SyncError) {
    let present = try await replica.servedSegments()
    let roots = Set(present.map(\.root))
    for root in seeded.subtracting(roots) { helper?.send("drop \(root)") }
    for segment in present where !seeded.contains(segment.root) {
      helper?.send("seed \(segment.words) \(Hexadecimal.text(of: "\(folder)/segments".utf8))")
    }
    seeded = roots
  }

  /// What a device offers: its head, and the segments, which are fetched from it and from every other device that may have them.
  func offer(_ head: MeshHead, of number: Int) -> MeshOffer {
    let sources = ([number] + links.keys.filter { $0 != number }).compactMap { other -> (String, UInt16)? in
      guard let connection = links[other], let head = connection.head, head.port > 0 else { return nil }
      return (connection.link.host, head.port)
    }
    let arrived = pushed.filter { segment in head.tables.contains { $0.segment.root == segment.key } }
    return MeshOffer(head: head, arrived: arrived) { [weak self] name throws(SyncError) in
      try await self?.segment(name, from: sources)
    }
  }

  private func segment(_ name: SegmentName, from sources: [(String, UInt16)]) async throws(SyncError) -> [UInt8]? {
    if let bytes = pushed[name.root] { return bytes }
    guard let helper, !sources.isEmpty else { return nil }
    let into = "\(folder)/fetching"
    try FetchedFile(folder: into, name: name).prepare()
    fetching[name.root] = Fetch()
    helper.send("fetch \(name.words) \(Hexadecimal.text(of: into.utf8))")
    defer {
      fetching[name.root] = nil
      helper.send("drop \(name.root)")
      seeded.remove(name.root)
    }
    var (attempt, still, done) = (0, 0, 0)
    while still < Self.patience {
      if attempt % 40 == 0 { for (host, port) in sources { helper.send("from \(name.root) \(host) \(port)") } }
      do { try await runtime.sleep(.milliseconds(50)) } catch { return nil }
      guard self.helper === helper, let fetch = fetching[name.root] else { return nil }
      if let hasArrived = fetch.hasArrived {
        return hasArrived ? try FetchedFile(folder: into, name: name).take() : nil
      }
      attempt += 1
      still = fetch.done > done ? 0 : still + 1
      done = max(done, fetch.done)
    }
    return nil
  }

  /// A segment that does not move for 20 seconds is given up: other heads wait meanwhile, and this one is tried again. At the lowest rate
  /// that a setting can limit, a block of 16 KiB takes less than two seconds.
  private static let patience = 400
}

extension SegmentName {
  /// The segment in a line to the helper: root, length and the length of a piece.
  fileprivate var words: String {
    var piece: UInt64 = 16_384
    while length > 1_024 * piece, piece < 4 << 20 { piece *= 2 }
    return "\(root) \(length) \(piece)"
  }
}

extension MeshNetwork {
  /// The state of the connections, for a diagnosis.
  func findings() -> [Finding] {
    let devices = links.values.compactMap(\.head?.device).sorted()
    var findings = [Finding(.good, "syncd-torrent runs and listens at port \(port)")]
    findings.append(
      devices.isEmpty
        ? Finding(.note, "no other device of the mesh was met; changes wait on this device until one is reachable")
        : Finding(.good, "linked with \(devices.joined(separator: ", "))"))
    if let complaint { findings.append(Finding(.problem, complaint)) }
    return findings
  }
}
