internal import CPOSIX
public import SyncKit

/// A program that runs beside us and that we talk to through its standard input and output. What it complains about is kept
/// for messages. No call waits longer than `patience` while nothing moves.
@safe public final class Program {
  private let id: pid_t
  private var input: CInt
  private let output: CInt
  private let errors: CInt
  private let patience: Duration
  private let stop: Stop
  /// What the program has said while we were writing.
  private var unread: [UInt8] = []
  private var said: [UInt8] = []
  private var hasEnded = false
  private var isReaped = false
  /// With which status the program has ended; nil while it has not, or if a signal ended it.
  public private(set) var exitStatus: Int?

  private static let largestComplaint = 16_384
  /// How much a program may say before we have said what we want.
  private static let largestAnswer = 16 << 20
  private static let slice: CInt = 100

  /// Starts `words[0]`, sought in `PATH`, with exactly these variables.
  public init(_ words: [String], variables: [String: String], patience: Duration, _ stop: Stop) throws(SyncError) {
    try stop.check()
    Self.ignoreBrokenPipes()
    let (ends, error) = Self.pipes()
    guard error == 0 else {
      throw SyncError(.unexpected, "cannot create a pipe for \(words.first ?? ""): \(Self.message(error))")
    }
    let spawned = Self.spawn(words, variables, ends)
    for end in [ends[0], ends[3], ends[5]] { close(end) }
    guard spawned.error == 0 else {
      for end in [ends[1], ends[2], ends[4]] { close(end) }
      throw SyncError(
        .invalidSettings,
        "cannot run the program `\(words.first ?? "")`: \(Self.message(spawned.error)); is it installed?")
    }
    (id, input, output, errors) = (spawned.id, ends[1], ends[2], ends[4])
    (self.patience, self.stop) = (patience, stop)
    for end in [input, output, errors] { _ = posix_fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit { end(isComplete: false) }

  // MARK: Talking

  /// Writes all of `bytes`; false if the program does not listen any more.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) -> Bool {
    var rest = unsafe bytes[...]
    var waiting = Waiting(patience)
    while unsafe !rest.isEmpty {
      let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe CPOSIX.write(input, part.baseAddress, part.count)
      if count > 0 {
        unsafe rest = unsafe rest.dropFirst(count)
        waiting = Waiting(patience)
      } else if count < 0, Self.error == EINTR {
        continue
      } else if count < 0, Self.error != EAGAIN {
        listenToTheEnd()
        return false
      } else {
        try wait(waiting, writing: true)
      }
    }
    return true
  }

  /// Reads some bytes; 0 when the program says nothing more.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    if !unread.isEmpty {
      let part = unread.prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      unread.removeFirst(part.count)
      return part.count
    }
    let waiting = Waiting(patience)
    while true {
      let count = unsafe CPOSIX.read(output, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 {
        listenToTheEnd()
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

  /// The next bytes, or nil when the program says nothing more.
  public func read(atMost limit: Int = 4_096) throws(SyncError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
    defer { unsafe buffer.deallocate() }
    let count = try unsafe read(into: buffer)
    return count == 0 ? nil : unsafe Array(buffer.prefix(count))
  }

  /// Says that nothing more will be written.
  public func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// What the program has complained about, line by line.
  public var complaints: [String] {
    if !hasEnded { listen() }
    let lines = said.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }
    return lines.map { String($0.trimmingPrefix { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.allSatisfy { $0 == "@" } }
  }

  /// The same as one line, as much of it as a message has room for.
  public var complaint: String { String(complaints.joined(separator: " / ").prefix(2_048)) }

  /// Ends the program: with `isComplete` it may finish its work within the stall timeout.
  public func end(isComplete: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    endInput()
    let waiting = Waiting(isComplete ? patience : .milliseconds(200))
    while !isGone, !stop.isAsked, !waiting.isOver {
      listen()
      Self.pause(1)
    }
    if !isGone {
      kill(-id, SIGKILL)
      for _ in 0..<200 where !isGone { Self.pause(5) }
    }
    listen()
    for end in [output, errors] { close(end) }
  }

  private var isGone: Bool {
    guard !isReaped else { return true }
    var status: CInt = 0
    let found = unsafe waitpid(id, &status, WNOHANG)
    isReaped = found != 0
    // The low seven bits are the signal that ended it, if one did.
    if found == id, status & 0x7F == 0 { exitStatus = Int(status >> 8 & 0xFF) }
    return isReaped
  }

  // MARK: Waiting

  /// Until when nothing need move.
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
    var places = [
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
    ]
    if !writing { places.removeLast() }
    unsafe poll(&places, nfds_t(places.count), Self.slice)
    listen()
    // A program that cannot get rid of what it says would never listen.
    if writing, places[1].revents != 0, unread.count < Self.largestAnswer { hear() }
    // A pipe whose other end is closed is always ready, and there is nothing to wait for.
    if places[0].revents & Int16(POLLHUP) != 0, places.dropFirst().allSatisfy({ $0.revents == 0 }) { Self.pause(1) }
  }

  /// Takes in what the program says, while it is not asked yet.
  private func hear() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe CPOSIX.read(output, &buffer, buffer.count)
    if count > 0 { unread += buffer.prefix(count) }
  }

  /// Takes in what the program complains about by now, the first words of it.
  private func listen() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe CPOSIX.read(errors, &buffer, buffer.count)
      guard count > 0 else { return }
      said += buffer.prefix(min(count, max(0, Self.largestComplaint - said.count)))
    }
  }

  /// Waits a moment for the last words of a program that is about to end.
  private func listenToTheEnd() {
    for _ in 0..<1_000 where !isGone { Self.pause(1) }
    listen()
  }

  private static func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  /// The number of this thread's last error.
  static var error: CInt { unsafe posix_errno().pointee }

  static func message(_ error: CInt) -> String { unsafe String(cString: strerror(error)) }
}
