internal import RsyncWire
internal import SyncKit

/// Fetches the contents of files, each as the difference to a previous version if there is one.
struct Fetching {
  private let reading: Reading
  private let sink: any ContentSink
  private let basis: @Sendable (SyncPath) async throws(SyncError) -> Content?
  /// The previous versions that were announced to the remote host; needed until its answer.
  private var bases: [Int: [UInt8]] = [:]
  private var results: [SyncPath: Fetched] = [:]
  private var paths: [Int: SyncPath] = [:]
  private var failed: [Int] = []

  /// The sizes of previous versions that are used, which are held in memory. A version of up to one block is not worth its
  /// sums.
  private static let basisSizes = 701...(32 << 20)
  /// Contents up to this size are assembled in memory.
  private static let smallSize = 1 << 20

  init(
    _ reading: Reading, _ sink: any ContentSink,
    _ basis: @escaping @Sendable (SyncPath) async throws(SyncError) -> Content?
  ) {
    self.reading = reading
    self.sink = sink
    self.basis = basis
  }

  /// Fetches the files in `wanted`, by path and index. A file that arrives damaged is requested once more, as a whole.
  mutating func run(_ wanted: [SyncPath: Int]) async throws(ExchangeFailure) -> [SyncPath: Fetched] {
    guard !wanted.isEmpty else { return [:] }
    paths = Dictionary(uniqueKeysWithValues: wanted.map { ($0.value, $0.key) })
    for index in paths.keys.sorted() {
      while !reading.hasRoom { try await receiveAnswer() }
      try await request(index)
    }
    while reading.isWaiting { try await receiveAnswer() }
    guard !failed.isEmpty else { return results }
    try wire { [reading] () throws(RsyncError) in try reading.endPhase() }
    let again = failed.sorted()
    failed = []
    for index in again {
      try wire { [reading] () throws(RsyncError) in try reading.request(index) }
      try await receiveAnswer()
    }
    return results
  }

  private mutating func request(_ index: Int) async throws(ExchangeFailure) {
    var sums = BlockSums.none
    if let bytes = try await formerVersion(of: index) {
      var builder = SumBuilder(SumHead(forSize: bytes.count), reading.strongSum)
      builder.add(bytes)
      if let found = builder.finish() {
        sums = found
        bases[index] = bytes
      }
    }
    try wire { [reading] () throws(RsyncError) in try reading.request(index, basis: sums) }
  }

  private func formerVersion(of index: Int) async throws(ExchangeFailure) -> [UInt8]? {
    guard let path = paths[index], reading.list.files[index].size > Self.basisSizes.lowerBound else { return nil }
    return try await own { () throws(SyncError) in
      guard let content = try await basis(path), Self.basisSizes.contains(content.size) else { return nil }
      return try await content.bytes()
    }
  }

  private mutating func receiveAnswer() async throws(ExchangeFailure) {
    let answer = try wire { [reading] () throws(RsyncError) in try reading.answer() }
    guard case .file(let index) = answer else {
      if case .missing(let index) = answer, let path = paths[index] { results[path] = .missing }
      return
    }
    guard let path = paths[index] else { return }
    switch try await receive(index, Assembly(basis: bases.removeValue(forKey: index) ?? [])) {
    case .some(let fetched): results[path] = fetched
    case .none:
      results[path] = .changed
      failed.append(index)
    }
  }

  /// Receives one file; nil if its pieces do not add up to the announced content.
  private func receive(_ index: Int, _ assembly: Assembly) async throws(ExchangeFailure) -> Fetched? {
    var incoming = Incoming(reading, assembly, listed: reading.list.files[index].hash)
    let first = try incoming.next(atMost: Self.smallSize)
    if incoming.hasEnded {
      guard let isAsListed = incoming.isAsListed, isAsListed else { return incoming.isAsListed.map { _ in .changed } }
      let digest = try await own { () throws(SyncError) in try await sink.receive(first) }
      return .content(digest: digest, size: first.count)
    }
    return try await stream(first, &incoming, size: Int(reading.list.files[index].size))
  }

  /// The same for larger files, which are written to the sink while they arrive.
  private func stream(
    _ first: [UInt8], _ incoming: inout Incoming, size: Int
  ) async throws(ExchangeFailure) -> Fetched? {
    var (pieces, failure) = (incoming, ExchangeFailure?.none)
    defer { incoming = pieces }
    do throws(SyncError) {
      let taken = try await sink.receive(size: size) { intake throws(SyncError) in
        try await intake.write(first)
        while !pieces.hasEnded {
          do throws(ExchangeFailure) {
            let chunk = try pieces.next(atMost: Self.smallSize)
            if !chunk.isEmpty { try await own { () throws(SyncError) in try await intake.write(chunk) } }
          } catch {
            failure = error
            throw SyncError(.unavailable, "the transfer was interrupted")
          }
        }
        guard pieces.isAsListed == true else {
          throw SyncError(.changedMeanwhile, "the file changed during the transfer")
        }
      }
      return .content(digest: taken.digest, size: taken.size)
    } catch {
      if let failure { throw failure }
      // An interrupted file leaves the stream in an unusable state.
      guard pieces.hasEnded else { throw .own(error) }
      return pieces.isAsListed.map { _ in .changed }
    }
  }
}

/// A file that is being received.
private struct Incoming {
  private let reading: Reading
  private var assembly: Assembly
  private let listed: [UInt8]?
  private(set) var hasEnded = false
  /// At the end: true if it is the file that was listed, false if it has changed, nil if it was assembled wrongly.
  private(set) var isAsListed: Bool?

  init(_ reading: Reading, _ assembly: Assembly, listed: [UInt8]?) {
    self.reading = reading
    self.assembly = assembly
    self.listed = listed
  }

  /// Returns the next bytes, about `limit` of them; fewer at the end.
  mutating func next(atMost limit: Int) throws(ExchangeFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit, !hasEnded {
      let piece = try wire { [reading] () throws(RsyncError) in try reading.piece() }
      do throws(RsyncError) { bytes += try assembly.bytes(piece) } catch { throw .wire(error) }
      if case .end(let hash) = piece {
        hasEnded = true
        isAsListed = hash == assembly.digest ? listed == nil || listed == hash : nil
      }
    }
    return bytes
  }
}
