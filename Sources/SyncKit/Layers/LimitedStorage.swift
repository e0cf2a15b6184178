/// A storage whose contents pass at a limited rate, both ways. A change that needs no content, such as a move, never waits.
struct LimitedStorage: StorageLayer {
  let storage: any Storage
  let limit: TrafficLimit
  let runtime: Runtime

  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value { try await work() }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await storage.read(paths, into: LimitedSink(sink: sink, limit: limit, runtime: runtime))
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await storage.commit(
      changes.map { change in
        var change = change
        change.content = change.content.map(limited)
        return change
      })
  }

  private func limited(_ content: Content) -> Content {
    Content(digest: content.digest, size: content.size) { [limit, runtime] () throws(SyncError) in
      LimitedReader(source: try content.reader(), limit: limit, runtime: runtime)
    }
  }
}

/// Reads a content in pieces, each when it may pass.
private struct LimitedReader: ContentReader {
  var source: any ContentReader
  let limit: TrafficLimit
  let runtime: Runtime
  var rest: ArraySlice<UInt8> = []

  mutating func next() async throws(SyncError) -> [UInt8]? {
    if rest.isEmpty {
      guard let chunk = try await source.next() else { return nil }
      rest = chunk[...]
    }
    let piece = rest.prefix(limit.piece(.up, at: runtime.now()))
    rest = rest.dropFirst(piece.count)
    try await limit.wait(for: piece.count, .up, runtime)
    return Array(piece)
  }
}

/// Passes contents on when their bytes may pass; meanwhile the sender waits.
private struct LimitedSink: ContentSink {
  let sink: any ContentSink
  let limit: TrafficLimit
  let runtime: Runtime

  func of(_ path: SyncPath) -> any ContentSink { LimitedSink(sink: sink.of(path), limit: limit, runtime: runtime) }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await sink.receive(size: size) { intake throws(SyncError) in
      try await body(LimitedIntake(intake: intake, limit: limit, runtime: runtime))
    }
  }
}

private final class LimitedIntake: ContentIntake {
  private let intake: any ContentIntake
  private let limit: TrafficLimit
  private let runtime: Runtime

  init(intake: any ContentIntake, limit: TrafficLimit, runtime: Runtime) {
    (self.intake, self.limit, self.runtime) = (intake, limit, runtime)
  }

  func write(_ chunk: [UInt8]) async throws(SyncError) {
    try await limit.wait(for: chunk.count, .down, runtime)
    try await intake.write(chunk)
  }
}
