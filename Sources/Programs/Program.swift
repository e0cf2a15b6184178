internal import CPOSIX
internal import ChildProcesses
public import SyncKit

/// A child process that is used through its standard input and output; its error output is kept for messages. One thread uses
/// it.
///
/// Reading and writing throw `.unavailable` if no byte moves for `patience`, and `.cancelled` once ``Stop/ask()`` was called.
@safe public final class Program {
  private let child: ChildProcess
  private let patience: Duration
  private let stop: Stop
  /// Output that was read while writing.
  private var unread: [UInt8] = []
  private var errorText: [UInt8] = []
  private var hasEnded = false

  private static let largestErrorText = 16_384
  /// The maximum number of bytes that are read ahead while writing.
  private static let largestOutput = 16 << 20
  private static let slice: CInt = 100
  private static let piece = 1 << 16

  /// Starts `arguments[0]`, which is looked up in `PATH`, with exactly these variables. Throws `.invalidSettings` if the
  /// program cannot be run.
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

  /// Writes all of `bytes`; returns false if the program no longer reads.
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

  /// Closes the program's input.
  public func endInput() { child.closeInput() }

  /// The first 16 KiB of the program's error output as lines, without control characters.
  public var errorLines: [String] {
    if !hasEnded { readErrors() }
    let lines = errorText.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }
    return lines.map { String($0.trimmingPrefix { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.allSatisfy { $0 == "@" } }
  }

  /// The program's exit status; nil while it runs, or if a signal ended it.
  public var exitStatus: Int? { if case .exited(let status) = child.exit { status } else { nil } }

  /// Ends the program. If `isComplete`, waits up to `patience` for it to finish first.
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

  /// The time by which the next byte must move.
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
    // A program that is blocked on its output would never read its input.
    if writing, descriptors[1].revents != 0, unread.count < Self.largestOutput { readAhead() }
    // A pipe with a closed other end is always ready, so `poll` would not wait.
    if descriptors[0].revents & Int16(POLLHUP) != 0, descriptors.dropFirst().allSatisfy({ $0.revents == 0 }) {
      Self.pause(1)
    }
  }

  /// Reads output in advance, while writing.
  private func readAhead() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe CPOSIX.read(child.output, &buffer, buffer.count)
    if count > 0 { unread += buffer.prefix(count) }
  }

  /// Reads the error output available so far.
  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe CPOSIX.read(child.errors, &buffer, buffer.count)
      guard count > 0 else { return }
      errorText += buffer.prefix(min(count, max(0, Self.largestErrorText - errorText.count)))
    }
  }

  /// Waits up to a second for a program that is about to end, so that its last error output is read.
  private func awaitExit() {
    for _ in 0..<1_000 where child.isRunning { Self.pause(1) }
    readErrors()
  }

  private static func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  /// The number of this thread's last error.
  static var error: CInt { unsafe posix_errno().pointee }
}

extension SyncError {
  /// The error for a program that could not be started.
  fileprivate init(_ error: ChildProcessError) {
    switch error {
    case .noPipes(let reason): self.init(.unexpected, "cannot make a pipe for a program: \(reason)")
    case .notStarted(let program, let reason):
      self.init(.invalidSettings, "cannot run the program `\(program)` (\(reason)); is it installed?")
    }
  }
}
