internal import Programs
internal import SFTPWire
internal import SSHConnection
internal import SyncKit
import Synchronization

/// The sftp server of a host: one connection, on which the requests of many tasks are in transit at once.
final class Server: Sendable {
  let folder: RemoteFolder
  private let pump: Pump
  private let line = WaitingLine()

  init(_ folder: RemoteFolder, by client: SSHClient, timeout: Duration) {
    self.folder = folder
    pump = Pump(folder, client, timeout, line)
  }

  /// Sends requests, and returns the answers in the order of the requests. Up to eight requests are sent at once, so that
  /// requests about the same file are carried out directly one after the other.
  ///
  /// Throws if the connection fails: each request was then carried out or not.
  func perform(_ requests: [SFTPRequest]) async throws(SyncError) -> [SFTPReply] {
    guard !requests.isEmpty else { return [] }
    let batch = Batch(requests)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        batch.wait(continuation)
        enqueue(batch)
      }
    } onCancel: {
      batch.finish(.failure(SyncError(.cancelled, "the pass was stopped; the next pass continues from there")))
      line.stopIfUnwanted()
    }
    return try result.get()
  }

  /// The same for one request.
  func perform(_ request: SFTPRequest) async throws(SyncError) -> SFTPReply {
    try await perform([request])[0]
  }

  /// Sends requests whose answers do not matter. They are not sent if the connection fails.
  func post(_ requests: [SFTPRequest]) {
    guard !requests.isEmpty else { return }
    enqueue(Batch(requests))
  }

  private func enqueue(_ batch: Batch) {
    guard line.add(batch) else { return }
    Task { [pump] in await pump.run() }
  }

  /// The extensions that the server announces, sorted.
  func extensions() async throws(SyncError) -> [String] {
    _ = try await perform(.stat(folder.bytes(of: nil)))
    return line.extensions.sorted()
  }

  /// The route to the host, for messages.
  func route() async -> String { await pump.route }
}

/// Requests of one task, and their answers.
final class Batch: Sendable {
  let requests: [SFTPRequest]
  private let held: Mutex<Held>

  private struct Held {
    var replies: [SFTPReply?]
    var missing: Int
    var result: Result<[SFTPReply], SyncError>?
    var continuation: CheckedContinuation<Result<[SFTPReply], SyncError>, Never>?
  }

  init(_ requests: [SFTPRequest]) {
    self.requests = requests
    held = Mutex(Held(replies: Array(repeating: nil, count: requests.count), missing: requests.count))
  }

  /// True if a task waits for the answers.
  var isWanted: Bool { held.withLock { $0.continuation != nil } }

  /// True if the answers do not matter any more.
  var isOver: Bool { held.withLock { $0.result != nil } }

  func wait(_ continuation: CheckedContinuation<Result<[SFTPReply], SyncError>, Never>) {
    let result = held.withLock { held in
      if held.result == nil { held.continuation = continuation }
      return held.result
    }
    if let result { continuation.resume(returning: result) }
  }

  func answer(_ index: Int, _ reply: SFTPReply) {
    let replies = held.withLock { held -> [SFTPReply]? in
      held.replies[index] = reply
      held.missing -= 1
      return held.missing == 0 ? held.replies.compactMap(\.self) : nil
    }
    if let replies { finish(.success(replies)) }
  }

  func finish(_ result: Result<[SFTPReply], SyncError>) {
    let continuation = held.withLock { held in
      defer { held.continuation = nil }
      held.result = held.result ?? result
      return held.continuation
    }
    continuation?.resume(returning: result)
  }
}

/// The batches that wait to be sent, or for answers.
final class WaitingLine: Sendable {
  private let held = Mutex(Held())

  private struct Held {
    /// The batches that are not sent completely, each with the number of requests that were sent.
    var queue: [(batch: Batch, sent: Int)] = []
    /// The batches of which requests are in transit.
    var inTransit: [Batch] = []
    var isRunning = false
    var stop = Stop()
    var extensions: Set<String> = []
  }

  /// The number of requests of a batch that are never sent apart.
  private static let together = 8

  /// Adds a batch; returns true if the caller must start the pump.
  func add(_ batch: Batch) -> Bool {
    held.withLock { held in
      held.queue.append((batch, 0))
      defer { held.isRunning = true }
      return !held.isRunning
    }
  }

  /// Returns the requests to send next, at most `room`.
  func next(_ room: Int) -> [(batch: Batch, index: Int)] {
    held.withLock { held in
      var (found, room): ([(batch: Batch, index: Int)], Int) = ([], room)
      while let (batch, sent) = held.queue.first {
        let left = batch.requests.count - sent
        if sent == 0, batch.isOver {
          held.queue.removeFirst()
        } else if left <= room {
          found += (sent..<batch.requests.count).map { (batch, $0) }
          held.queue.removeFirst()
          held.inTransit.append(batch)
          room -= left
        } else if batch.requests.count > Self.together, room > 0 {
          found += (sent..<sent + room).map { (batch, $0) }
          held.queue[0].sent += room
          room = 0
        } else {
          break
        }
        if room == 0 { break }
      }
      return found
    }
  }

  /// Returns true, and lets the pump end, if there is nothing to send.
  func endIfEmpty() -> Bool {
    held.withLock { held in
      held.inTransit = []
      held.isRunning = !held.queue.isEmpty
      return !held.isRunning
    }
  }

  /// Ends all batches with an error.
  func fail(_ error: SyncError) {
    let batches = held.withLock { held in
      defer { (held.queue, held.inTransit) = ([], []) }
      return held.queue.map(\.batch) + held.inTransit
    }
    for batch in batches { batch.finish(.failure(error)) }
  }

  /// Forgets the batches that have all their answers.
  func removeFinished() { held.withLock { held in held.inTransit.removeAll(where: \.isOver) } }

  // MARK: Stopping

  /// The stop request of the current connection.
  var stop: Stop { held.withLock { $0.stop } }

  /// Interrupts the connection if no task waits for an answer, so that a silent server does not delay the end of the program.
  func stopIfUnwanted() {
    held.withLock { held in
      guard held.isRunning, !(held.queue.map(\.batch) + held.inTransit).contains(where: \.isWanted) else { return }
      held.stop.ask()
    }
  }

  func resetStop() { held.withLock { $0.stop = Stop() } }

  // MARK: The server

  var extensions: Set<String> {
    get { held.withLock { $0.extensions } }
    set { held.withLock { $0.extensions = newValue } }
  }
}
