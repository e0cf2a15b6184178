internal import CPOSIX
internal import ChildProcesses
public import SyncKit

/// A program that runs as a child of this process: its standard input and output carry a conversation, and its error output
/// is kept for messages. One thread uses it.
///
/// Reading and writing throw `.unavailable` if nothing moves for `patience`, and `.cancelled` once `stop` asks.
@safe public final class Program {
  private let child: ChildProcess
  private let patience: Duration
  private let stop: Stop
  /// What the program wrote while we were writing.
  private var unread: [UInt8] = []
  private var errorText: [UInt8] = []
  private var hasEnded = false

  private static let largestErrorText = 16_384
  /// How much a program may write before it has read what we write.
  private static let largestOutput = 16 << 20
  private static let slice: CInt = 100
  private static let piece = 1 << 16

  /// Starts `arguments[0]`, which is looked up in `PATH`, with exactly these variables. Throws `.invalidSettings` if the program
  /// cannot be run.
  public init(_ arguments: [String], variables: [String: String], patience: Duration, _ stop: Stop) throws(SyncError) {
    try stop.check()
    do throws(ChildProcessError) {
      child = try ChildProcess(arguments, variables: variables, hasInput: true, hasErrors: true)
    } catch {
      throw SyncError(error)
    }
    (self.patience, self.stop) = (patience, stop)
  }

  deinit { end(isComplete: false) }

  // MARK: Streams

  /// Writes all of `bytes`; returns false if the program does not read any more.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) -> Bool {
    var rest = unsafe bytes[...]
    var waiting = Waiting(patience)
    while unsafe !rest.isEmpty {
      let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe CPOSIX.write(child.input, part.baseAddress, part.count)
      if count > 0 {
        unsafe rest = unsafe rest.dropFirst(count)
        waiting = Waiting(patience)
      } else if count < 0, Self.error == EINTR {
        continue
      } else if count < 0, Self.error != EAGAIN {
        awaitExit()
        return false
      } else {
        try wait(waiting, writing: true)
      }
    }
    return true
  }

  /// Reads some bytes of the program's output; returns 0 at its end.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    if !unread.isEmpty {
      let part = unread.prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      unread.removeFirst(part.count)
      return part.count
    }
    let waiting = Waiting(patience)
    while true {
      let count = unsafe CPOSIX.read(child.output, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 {
        awaitExit()
        return 0
      }
      if Self.error != EINTR { try wait(waiting, writing: false) }
    }
  }

  /// The same for bytes in memory.
  public func write(_ bytes: [UInt8]) throws(SyncError) -> Bool {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyBytes(from: bytes)
    return try unsafe write(UnsafeRawBufferPointer(copy))
  }

  /// Returns the next bytes of the program's output; none at its end.
  public func nextOutput() throws(SyncError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 1)
    defer { unsafe buffer.deallocate() }
    return try unsafe Array(buffer.prefix(read(into: buffer)))
  }

  /// Closes the program's input: nothing more will be written.
  public func endInput() { child.closeInput() }

  /// What the program wrote to its error output, line by line, without control characters; the first 16 KiB of it.
  public var errorLines: [String] {
    if !hasEnded { readErrors() }
    let lines = errorText.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }
    return lines.map { String($0.trimmingPrefix { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.allSatisfy { $0 == "@" } }
  }

  /// The status that the program exited with; nil while it runs, or if a signal ended it.
  public var exitStatus: Int? { if case .exited(let status) = child.exit { status } else { nil } }

  /// Ends the program. With `isComplete` it may finish what it was asked to do, within the patience.
  public func end(isComplete: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    endInput()
    let waiting = Waiting(isComplete ? patience : .milliseconds(200))
    while child.isRunning, !stop.isAsked, !waiting.isOver {
      readErrors()
      Self.pause(1)
    }
    child.kill()
    readErrors()
  }

  // MARK: Waiting

  /// A point in time until which nothing need move.
  private struct Waiting {
    private let end: Int64

    init(_ patience: Duration) {
      let (seconds, attoseconds) = patience.components
      end = posix_monotonic_microseconds() + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    var isOver: Bool { posix_monotonic_microseconds() >= end }
  }

  private func wait(_ waiting: Waiting, writing: Bool) throws(SyncError) {
    try stop.check()
    guard !waiting.isOver else {
      throw SyncError(
        .unavailable, "no progress for \(Int(patience.components.seconds).counted("second")); syncd tries again later")
    }
    var descriptors = [
      pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.input, events: Int16(POLLOUT), revents: 0),
    ]
    if !writing { descriptors.removeLast() }
    unsafe poll(&descriptors, nfds_t(descriptors.count), Self.slice)
    readErrors()
    // A program that cannot write its output would never read its input.
    if writing, descriptors[1].revents != 0, unread.count < Self.largestOutput { readAhead() }
    // A pipe whose other end is closed is always ready, and there is nothing to wait for.
    if descriptors[0].revents & Int16(POLLHUP) != 0, descriptors.dropFirst().allSatisfy({ $0.revents == 0 }) {
      Self.pause(1)
    }
  }

  /// Reads output before it is requested.
  private func readAhead() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe CPOSIX.read(child.output, &buffer, buffer.count)
    if count > 0 { unread += buffer.prefix(count) }
  }

  /// Reads the error output that there is by now.
  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe CPOSIX.read(child.errors, &buffer, buffer.count)
      guard count > 0 else { return }
      errorText += buffer.prefix(min(count, max(0, Self.largestErrorText - errorText.count)))
    }
  }

  /// Waits a moment for a program that is about to end, so that its last error output is there.
  private func awaitExit() {
    for _ in 0..<1_000 where child.isRunning { Self.pause(1) }
    readErrors()
  }

  private static func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  /// The number of this thread's last error.
  static var error: CInt { unsafe posix_errno().pointee }
}

extension SyncError {
  /// A program that could not be started.
  fileprivate init(_ error: ChildProcessError) {
    switch error {
    case .noPipes(let reason): self.init(.unexpected, "cannot make a pipe for a program: \(reason)")
    case .notStarted(let program, let reason):
      self.init(.invalidSettings, "cannot run the program `\(program)` (\(reason)); is it installed?")
    }
  }
}
