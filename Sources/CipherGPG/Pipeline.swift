internal import CGpgme
import Synchronization

import class Foundation.Thread

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One operation of GPGME on a thread of its own, with a pipe on either side: what goes in is pushed, and what has come out
/// by then is taken. It ends itself if nothing moves for too long, as with an agent that waits for somebody.
final class Pipeline: Sendable {
  enum Work: Sendable {
    case open
    /// For the keys with these fingerprints, as gpg thinks fit.
    case seal(for: [String], name: String)
    /// For exactly these keys, whatever gpg thinks of them.
    case sealAgain(for: [String], isArmored: Bool)
  }

  private let input: Pipe
  private let output: Pipe
  private let context: Context
  private let sleep: @Sendable (Duration) async throws -> Void
  private let end: End
  private let limit: Int
  private let received = Mutex(0)

  /// How it ended; the thread's part of what both know.
  private final class End: Sendable {
    let result = Mutex<Result<Facts, Complaint>?>(nil)
  }

  /// How long nothing may move, in the steps in which it is looked at.
  private static let step = Duration.milliseconds(2)
  private static let patience = 15_000

  /// - Parameter limit: how many bytes may come out.
  init(
    _ work: Work, _ context: Context, atMost limit: Int = .max,
    _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) throws(Complaint) {
    let (input, output, end) = (try Pipe(), try Pipe(), End())
    (self.input, self.output, self.end) = (input, output, end)
    self.context = context
    self.limit = limit
    self.sleep = sleep
    input.keepFromBlocking(input.writing)
    output.keepFromBlocking(output.reading)
    // The thread does not hold the pipeline: what nobody wants to the end any more ends with its owner.
    Thread.detachNewThread {
      let result = Operation(context: context, source: input.reading, target: output.writing).result(of: work)
      end.result.withLock { $0 = result }
      output.closeWriting()
    }
  }

  /// Without its ends in our hands, the operation runs against a wall and ends.
  deinit {
    context.cancel()
    input.closeWriting()
    output.closeReading()
  }

  /// Lets a whole file through.
  func run(_ bytes: [UInt8]) async throws(Complaint) -> (bytes: [UInt8], facts: Facts) {
    let start = try await push(bytes)
    let (rest, facts) = try await finish()
    return (start + rest, facts)
  }

  /// Lets a file go in, as far as it goes, and gives what has come out.
  func push(_ chunk: [UInt8]) async throws(Complaint) -> [UInt8] {
    var taken: [UInt8] = []
    var offset = 0
    var idle = 0
    // What has failed takes nothing more; why, the end tells.
    while offset < chunk.count, end.result.withLock({ $0 == nil }) {
      let written = input.write(chunk[offset...])
      let read = try take()
      offset += written
      taken += read
      idle = written + read.count > 0 ? 0 : idle + 1
      if idle > 0 { try await wait(idle) }
    }
    return taken + (try take())
  }

  /// Tells that no more comes, and gives the rest with what was found out.
  func finish() async throws(Complaint) -> (rest: [UInt8], facts: Facts) {
    input.closeWriting()
    var taken: [UInt8] = []
    var idle = 0
    while !output.isAtEnd {
      let read = try take()
      taken += read
      idle = read.isEmpty ? idle + 1 : 0
      if idle > 0, !output.isAtEnd { try await wait(idle) }
    }
    guard let result = end.result.withLock({ $0 }) else { throw Complaint("was not accepted by gpg") }
    return (taken, try result.get())
  }

  private func take() throws(Complaint) -> [UInt8] {
    let bytes = output.read()
    let sum = received.withLock { sum in
      sum += bytes.count
      return sum
    }
    guard sum <= limit else { throw Complaint("holds more than can be merged in memory") }
    return bytes
  }

  private func wait(_ idle: Int) async throws(Complaint) {
    guard idle < Self.patience else {
      throw Complaint("takes gpg too long; does its agent wait for somebody?", isPassing: true)
    }
    do { try await sleep(Self.step) } catch {
      throw Complaint("was not finished, because the pass was stopped", isPassing: true)
    }
  }
}
