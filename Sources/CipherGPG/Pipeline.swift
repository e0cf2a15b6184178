internal import CGpgme
internal import SyncKit
import Synchronization

import class Foundation.Thread

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A GPGME operation on a dedicated thread, with a pipe on either side. The output is passed on in pieces of about 1 MiB,
/// however much the input expands. The operation ends if nothing moves for too long, for example while an agent waits for a
/// person.
final class Pipeline: Sendable {
  enum Operation: Sendable {
    case decrypt
    /// Encrypts for the keys with these fingerprints, if gpg trusts them.
    case encrypt(for: [String], name: String)
    /// Encrypts for exactly these keys, trusted or not.
    case encryptAgain(for: [String], isArmored: Bool)
  }

  private let input: Pipe
  private let output: Pipe
  private let context: Context
  private let sleep: @Sendable (Duration) async throws -> Void
  private let end: End

  /// The result, which the thread writes and the pipeline reads.
  private final class End: Sendable {
    let result = Mutex<Result<Facts, Complaint>?>(nil)
  }

  /// The stall timeout, as a number of steps.
  private static let step = Duration.milliseconds(2)
  private static let patience = 15_000

  init(
    _ operation: Operation, _ context: Context, _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) throws(Complaint) {
    let (input, output, end) = (try Pipe(), try Pipe(), End())
    (self.input, self.output, self.end) = (input, output, end)
    self.context = context
    self.sleep = sleep
    input.keepFromBlocking(input.writing)
    output.keepFromBlocking(output.reading)
    // The thread does not retain the pipeline: an abandoned operation ends with its owner.
    Thread.detachNewThread {
      let result = PipedOperation(context: context, source: input.reading, target: output.writing).result(of: operation)
      end.result.withLock { $0 = result }
      output.closeWriting()
    }
  }

  /// Closing our ends of the pipes makes the operation fail and end.
  deinit {
    context.cancel()
    input.closeWriting()
    output.closeReading()
  }

  /// Processes a small file in one call. Its result has at most `limit` bytes.
  func run(_ bytes: [UInt8], atMost limit: Int = .max) async throws(SyncError) -> (bytes: [UInt8], facts: Facts) {
    var result: [UInt8] = []
    let output: CipherOutput = { piece throws(SyncError) in
      guard result.count + piece.count <= limit else {
        throw SyncError(.suspect, "holds more than can be merged in memory")
      }
      result += piece
    }
    try await push(bytes, into: output)
    let facts = try await finish(into: output)
    return (result, facts)
  }

  /// Passes a part of a file to gpg, and the output available so far to `output`.
  func push(_ chunk: [UInt8], into output: CipherOutput) async throws(SyncError) {
    var offset = 0
    var idle = 0
    // An operation that has failed reads no more; `finish` reports the error.
    while offset < chunk.count, end.result.withLock({ $0 == nil }) {
      let written = input.write(chunk[offset...])
      let read = self.output.read()
      offset += written
      if !read.isEmpty { try await output(read) }
      idle = written + read.count > 0 ? 0 : idle + 1
      if idle > 0 { try await wait(idle) }
    }
  }

  /// Ends the file, passes the remaining output to `output`, and returns gpg's information about the file.
  func finish(into output: CipherOutput) async throws(SyncError) -> Facts {
    input.closeWriting()
    var idle = 0
    while !self.output.isAtEnd {
      let read = self.output.read()
      if !read.isEmpty { try await output(read) }
      idle = read.isEmpty ? idle + 1 : 0
      if idle > 0, !self.output.isAtEnd { try await wait(idle) }
    }
    guard let result = end.result.withLock({ $0 }) else { throw SyncError(Complaint("was not accepted by gpg")) }
    do throws(Complaint) { return try result.get() } catch { throw SyncError(error) }
  }

  private func wait(_ idle: Int) async throws(SyncError) {
    guard idle < Self.patience else {
      throw SyncError(Complaint("took gpg too long; check if its agent waits for a passphrase", isPassing: true))
    }
    do { try await sleep(Self.step) } catch {
      throw SyncError(Complaint("was not finished, because the pass was stopped", isPassing: true))
    }
  }
}
