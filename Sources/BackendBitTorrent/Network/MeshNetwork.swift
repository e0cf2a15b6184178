import MeshState
import MeshStore
import SyncKit

/// This device's connections to the other devices of a mesh: joins what they have, and tells them what this one has.
///
/// It runs beside the passes, and never holds one up: all that it shares with them is the folder.
actor MeshNetwork {
  /// How to reach other devices, and to be reached.
  struct Options: Sendable {
    /// The addresses to listen at, without a port.
    var listen = ["0.0.0.0", "[::]"]
    /// 0 to choose one and keep it.
    var port: UInt16 = 0
    var usesLocalDiscovery = true
    var peers: [(host: String, port: UInt16)] = []
    var trackers: [String] = []
    /// The limits of all that the helper sends and receives.
    var traffic = TrafficLimit.none
    var program = "syncd-torrent"
    var version = ""
  }

  let replica: MeshReplica
  let secret: MeshSecret
  let folder: String
  let options: Options
  let runtime: Runtime
  var helper: TorrentHelper?
  private var listener: Task<Void, Never>?
  private(set) var port: UInt16 = 0
  /// The connections by the helper's number.
  var links: [Int: Connection] = [:]
  /// The segments that the helper serves.
  var seeded: Set<MerkleRoot> = []
  /// The segments that a fetch waits for.
  var fetching: [MerkleRoot: Fetch] = [:]
  /// Small segments that arrived with a message, until the head that names them.
  var pushed: [MerkleRoot: [UInt8]] = [:]
  /// How to rebuild segments of the heads that come next.
  var recipes: [SegmentRecipe] = []
  private var heads: [(link: Int, head: MeshHead)] = []
  private var isJoining = false
  private var watchers: [AsyncStream<Void>.Continuation] = []
  /// Increases with everything that arrives, and while bytes move.
  private(set) var progress = 0
  /// The bytes that the helper has sent and received when they last counted as progress.
  private(set) var counted = 0
  /// The last error, for people.
  private(set) var complaint: String?

  /// A segment that is fetched.
  struct Fetch: Sendable {
    /// The bytes that are here.
    var done = 0
    /// Nil while it runs; then true if it arrived.
    var hasArrived: Bool?
  }

  /// A connection to another device.
  struct Connection: Sendable {
    var link: MeshLink
    /// The last head that it sent.
    var head: MeshHead?
    /// The tables of the last head that it got with another state than its own.
    var sent: Set<SegmentName> = []

    /// The segments that the other device needs for a head, as far as they are new. It has probably met this one before, so
    /// the first head on a link comes with the last table only.
    func unsent(_ head: MeshHead) -> [SegmentName] {
      let tables = head.tables.map(\.segment)
      return (sent.isEmpty ? tables.suffix(1) : tables.filter { !sent.contains($0) }.suffix(Self.pushLimit))
        .filter { $0.length <= UInt64(SegmentRecipe.largestSegment) }
    }

    private static let pushLimit = 16
  }

  init(_ replica: MeshReplica, _ secret: MeshSecret, folder: String, _ options: Options, _ runtime: Runtime) {
    self.replica = replica
    self.secret = secret
    self.folder = folder
    self.options = options
    self.runtime = runtime
  }

  // MARK: Life

  /// Starts the helper unless it runs. Throws `.invalidSettings` if it cannot be run.
  func start() async throws(SyncError) {
    guard helper == nil else { return }
    let helper = try TorrentHelper(program: options.program)
    self.helper = helper
    (links, seeded, pushed, recipes, heads, counted) = ([:], [], [:], [], [], 0)
    let port = options.port == 0 ? savedPort : options.port
    let interfaces = options.listen.map { "\($0):\(port)" }.joined(separator: ",")
    helper.send("open \(interfaces) \(options.usesLocalDiscovery ? "lan" : "-")")
    limitTraffic(of: helper)
    helper.send((["swarm", Hexadecimal.text(of: secret.swarm)] + options.trackers).joined(separator: " "))
    connectPeers()
    try await serve()
    // The tasks hold neither the network nor the helper: both end when no replica uses them.
    listener = Task { [weak self, events = helper.events] in
      for await event in events { await self?.handle(event) }
    }
    keepPeers(of: helper)
  }

  func stop() {
    helper?.stop()
    helper = nil
    listener?.cancel()
  }

  private var savedPort: UInt16 { PortFile(folder: folder).read() }

  private func connectPeers() { for peer in options.peers { helper?.send("peer \(peer.host) \(peer.port)") } }

  /// Reconnects to `peers`, at growing intervals of up to a minute, while fewer devices than these are connected.
  private func keepPeers(of helper: TorrentHelper) {
    guard !options.peers.isEmpty else { return }
    Task { [weak self, weak helper, runtime] in
      var pause = Duration.seconds(2)
      while true {
        do { try await runtime.sleep(pause) } catch { return }
        guard let helper, await self?.reconnect(helper) == true else { return }
        pause = min(pause * 2, .seconds(60))
      }
    }
  }

  /// Connects to `peers` again if devices are missing. Returns false if another helper has replaced this one.
  private func reconnect(_ helper: TorrentHelper) -> Bool {
    guard self.helper === helper else { return false }
    if links.count < options.peers.count { connectPeers() }
    return true
  }

  /// Yields whenever other devices have brought something new.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watchers.append(continuation)
    return stream
  }

  // MARK: Events

  private func handle(_ event: HelperEvent) async {
    if !event.isStatistics { progress += 1 }
    switch event {
    case .listening(let port):
      // Another program may have the saved port for a while.
      if self.port == 0, savedPort == 0 { PortFile(folder: folder).write(port) }
      self.port = port
    case .link(let number, let host, let isOutgoing):
      let link = MeshLink(host: host, isOutgoing: isOutgoing, nonce: runtime.random(MeshLink.nonceSize), secret)
      links[number] = Connection(link: link)
      send(link.hello, on: number)
    case .unlink(let number, _): links[number] = nil
    case .message(let number, let bytes): await receive(bytes, on: number)
    case .progress(let root, let done): fetching[root]?.done = done
    case .complete(let root): fetching[root]?.hasArrived = true
    case .error(let root, let reason):
      fetching[root]?.hasArrived = false
      complaint = "the segment \(root): \(reason)"
    case .failed(let command, let reason): complaint = "syncd-torrent cannot \(command): \(reason)"
    case .traffic(let up, let down): count(up + down)
    case .ended:
      helper = nil
      links = [:]
      complaint = "syncd-torrent has ended; it is started again with the next pass"
    }
  }

  /// Counts bytes as progress as soon as they are more than devices exchange that have nothing for each other.
  private func count(_ bytes: Int) {
    guard bytes >= counted + Self.progressStep else { return }
    counted = bytes
    progress += 1
  }

  private static let progressStep = 4_096

  private func receive(_ bytes: [UInt8], on number: Int) async {
    guard var connection = links[number] else { return }
    do throws(FormatError) {
      let event = try connection.link.receive(bytes)
      links[number] = connection
      switch event {
      case .hello(let proof):
        // A connection to oneself.
        if links.values.contains(where: { $0.link.nonce == connection.link.theirs }) {
          throw FormatError("it is this device")
        }
        send(proof, on: number)
      case .proof: await sendHead(on: number)
      case .segment(let segment): keep(pushed: segment)
      case .recipe(let recipe): keep(try SegmentRecipe(recipe))
      case .head(let head): receive(try MeshHead(head), on: number)
      }
    } catch {
      complaint = "closed a connection to \(connection.link.host): \(error.reason)"
      links[number] = nil
      helper?.send("close \(number)")
    }
  }

  private func receive(_ head: MeshHead, on number: Int) {
    links[number]?.head = head
    join(head, of: number)
  }

  private func join(_ head: MeshHead, of number: Int) {
    heads.removeAll { $0.link == number }
    heads.append((number, head))
    guard !isJoining else { return }
    isJoining = true
    Task { await joinAll() }
  }

  /// Joins a head again later, if it is still the last one of a device that is linked: something of it did not arrive.
  private func retry(_ head: MeshHead, of number: Int) {
    Task { [weak self, runtime] in
      do { try await runtime.sleep(Self.retryPause) } catch { return }
      await self?.joinAgain(head, of: number)
    }
  }

  private func joinAgain(_ head: MeshHead, of number: Int) {
    if helper != nil, links[number]?.head?.number == head.number { join(head, of: number) }
  }

  private static let retryPause = Duration.seconds(15)

  /// Joins the waiting heads, one after the other.
  private func joinAll() async {
    while let (number, head) = heads.first {
      heads.removeFirst()
      do throws(SyncError) {
        if let failure = await rebuildSegments() { complaint = failure.message }
        let result = try await replica.join(offer(head, of: number))
        progress += 1
        for table in head.tables { pushed[table.segment.root] = nil }
        if !result.isComplete { retry(head, of: number) }
        if result.hasLearned {
          try await serve()
          await announce()
          for watcher in watchers { watcher.yield() }
        }
      } catch {
        complaint = error.message
        retry(head, of: number)
      }
    }
    isJoining = false
  }

  // MARK: Sending

  func send(_ message: [UInt8], on number: Int) {
    helper?.send("send \(number) \(Hexadecimal.text(of: message))")
  }

  /// Tells all devices what this one has, and gives them the last change at once if it is small.
  func announce() async {
    for (number, connection) in links where connection.link.isProved { await sendHead(on: number) }
  }

  private func sendHead(on number: Int) async {
    do throws(SyncError) {
      let head = try await replica.head(program: options.version, port: port)
      guard let connection = links[number] else { return }
      if connection.head?.state != head.state {
        links[number]?.sent = Set(head.tables.map(\.segment))
        for name in connection.unsent(head) { try await push(name, connection.link, number) }
      }
      try send(head, connection.link, number)
    } catch { complaint = error.message }
  }

  private func send(_ head: MeshHead, _ link: MeshLink, _ number: Int) throws(SyncError) {
    do throws(FormatError) { send(try link.message(head: head.bytes, random: runtime.random(12)), on: number) } catch {
      throw SyncError(.unexpected, error.reason)
    }
  }

  // MARK: Waiting

  /// True if every linked device has everything that this one has.
  func isSpread() async throws(SyncError) -> Bool {
    let own = try await replica.head(program: options.version, port: port)
    return links.values.filter(\.link.isProved).allSatisfy { $0.head?.context.union(own.context) == $0.head?.context }
  }

  /// True if a device has been met, and all heads are joined.
  var hasMet: Bool { links.values.contains { $0.head != nil } && !isJoining }

  /// Waits until `condition` holds, nothing has moved for `limit`, or that has taken very long.
  func wait(atMost limit: Duration, until condition: () async throws(SyncError) -> Bool) async throws(SyncError) {
    var (last, still, all) = (progress, Duration.zero, Duration.zero)
    while try await !condition(), still < limit, all < limit * Self.patience {
      do { try await runtime.sleep(Self.step) } catch {
        throw SyncError(.cancelled, "the pass was stopped; the next pass continues from there")
      }
      still = progress == last ? still + Self.step : .zero
      all += Self.step
      last = progress
    }
  }

  private static let step = Duration.milliseconds(20)
  /// A wait with progress takes at most this number of limits.
  private static let patience = 60
}
