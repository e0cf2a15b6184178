internal import SFTPWire
internal import SyncKit

/// The result of reading a file by its name on the server.
enum Fetched: Sendable {
  case read(FetchedFile)
  /// It changed while it was read.
  case changed
  case missing
  /// It cannot be opened or read; the reason.
  case unreadable(String)
}

/// A file that was read whole, with the attributes that it had before.
struct FetchedFile: Sendable {
  var digest: Digest
  var facts: FileFacts
}

extension SFTPStorage {
  private static var attempts: Int { 3 }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await mapConcurrently(paths, atMost: Self.parallelism) { path throws(SyncError) in
      try await read(path, into: sink.of(path))
    }
  }

  private func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    for _ in 0..<Self.attempts {
      // Opening a pipe would block the server, so an unknown file is looked up first.
      if !state.isFile(path) {
        switch try await lookUp(path) {
        case .file: break
        case .absent, .other("a folder"): return .absent
        case .other(let kind): return .failed(SyncError(.pathFailed, "\(path) is \(kind); ignored"))
        case .unknown(let reason): return .failed(SyncError(.pathFailed, "cannot read \(path): \(reason)"))
        }
      }
      switch try await fetch(folder.bytes(of: path), into: sink) {
      case .read(let found):
        state.record(found.digest, found.facts.revision, of: path)
        return .read(found.facts.entry(at: path, isFirm: state.isFirm(found.facts, at: path), digest: found.digest))
      case .changed: continue
      case .missing: return .absent
      case .unreadable(let reason):
        if case .absent = try await lookUp(path) { return .absent }
        return .failed(SyncError(.pathFailed, "cannot read \(path) on \(folder.hostName): \(reason)"))
      }
    }
    return .postponed("\(path) changed while it was read")
  }

  /// Reads a regular file whole.
  func fetch(_ name: [UInt8], into sink: any ContentSink) async throws(SyncError) -> Fetched {
    let opened = try await server.perform(.open(name))
    guard case .handle(let handle) = opened else {
      return opened.isMissing ? .missing : .unreadable(opened.refusal?.message ?? "no reason given")
    }
    defer { server.post([.close(handle: handle)]) }
    var reading = try await HandleReading(server, handle)
    guard let facts = reading.facts else { return .unreadable("the server sent no size or no time") }
    if let small = reading.whole { return .read(FetchedFile(digest: try await sink.receive(small), facts: facts)) }
    var failure: Fetched?
    do throws(SyncError) {
      let received = try await sink.receive(size: Int(clamping: facts.size)) { intake throws(SyncError) in
        while let chunk = try await reading.next() { try await intake.write(chunk) }
        if let reason = reading.refusal {
          failure = .unreadable(reason)
        } else if try await !reading.isUnchanged() {
          failure = .changed
        }
        // Thrown so that the sink keeps nothing.
        if failure != nil { throw SyncError(.changedMeanwhile, "the file changed while it was read") }
      }
      return .read(FetchedFile(digest: received.digest, facts: facts))
    } catch {
      if let failure, error.code == .changedMeanwhile { return failure }
      throw error
    }
  }
}

/// Reads an open file from the first byte to the size that it had when it was opened.
private struct HandleReading {
  private let server: Server
  private let handle: [UInt8]
  /// The attributes before the first byte was read.
  let facts: FileFacts?
  /// The whole content, if it is so small that the first answers have it and its end.
  private(set) var whole: [UInt8]?
  /// The reason why reading failed.
  private(set) var refusal: String?
  private var first: [UInt8]?
  private var offset: UInt64 = 0

  private static let piece = UInt64(SFTPTalk.piece)
  /// The number of pieces in one chunk.
  private static let pieces: UInt64 = 32

  init(_ server: Server, _ handle: [UInt8]) async throws(SyncError) {
    (self.server, self.handle) = (server, handle)
    let replies = try await server.perform([
      .statHandle(handle), .read(handle: handle, offset: 0, count: UInt32(Self.piece)),
      .read(handle: handle, offset: Self.piece, count: UInt32(Self.piece)),
    ])
    facts = replies[0].attributes.flatMap { $0.kind == nil || $0.kind == .file ? FileFacts($0) : nil }
    switch replies[1] {
    case .data(let bytes):
      first = bytes
      if bytes.count == facts.map({ Int(clamping: $0.size) }), bytes.count <= Self.piece, replies[2].isEnd {
        whole = bytes
      }
    case let reply where reply.isEnd:
      first = []
      if facts?.size == 0 { whole = [] }
    case let reply: refusal = reply.refusal?.message
    }
  }

  /// Returns the next chunk, of 1 MiB at most; nil at the end, or if reading failed.
  mutating func next() async throws(SyncError) -> [UInt8]? {
    if let first, !first.isEmpty {
      self.first = nil
      offset = UInt64(first.count)
      return first
    }
    guard let facts, refusal == nil, offset < facts.size else { return nil }
    let end = min(facts.size, offset + Self.pieces * Self.piece)
    let starts = stride(from: offset, to: end, by: Int(Self.piece))
    let requests = starts.map { start in
      SFTPRequest.read(handle: handle, offset: start, count: UInt32(min(Self.piece, end - start)))
    }
    var chunk: [UInt8] = []
    for (start, reply) in zip(starts, try await server.perform(requests)) {
      // A short answer is not the end: the rest is asked for again.
      guard start == offset + UInt64(chunk.count) else { break }
      switch reply {
      case .data(let bytes): chunk += bytes.prefix(Int(min(Self.piece, end - start)))
      case let reply where reply.isEnd: break
      case let reply: refusal = reply.refusal?.message
      }
    }
    offset += UInt64(chunk.count)
    return chunk.isEmpty ? nil : chunk
  }

  /// Returns true if the whole file was read, it ends there, and its attributes are the same as before.
  func isUnchanged() async throws(SyncError) -> Bool {
    guard let facts, offset == facts.size else { return false }
    let replies = try await server.perform([
      .read(handle: handle, offset: offset, count: 1), .statHandle(handle),
    ])
    return replies[0].isEnd && replies[1].attributes.flatMap { FileFacts($0) } == facts
  }
}
