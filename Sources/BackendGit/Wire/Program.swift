internal import CPOSIX
internal import SyncKit

/// A program that runs beside us and that we talk to through its standard input and output. What it complains about is kept
/// for messages. No call waits longer than `patience` while nothing moves.
@safe final class Program {
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

  private static let largestComplaint = 2_048
  private static let slice: CInt = 100

  /// Starts `words[0]`, sought in `PATH`, with exactly these variables.
  init(_ words: [String], variables: [String: String], patience: Duration, _ stop: Stop) throws(SyncError) {
    try stop.check()
    let (ends, error) = Self.pipes()
    guard error == 0 else { throw SyncError(.unexpected, "no pipe for \(words.first ?? ""): \(Self.message(error))") }
    let spawned = Self.spawn(words, variables, ends)
    for end in [ends[0], ends[3], ends[5]] { close(end) }
    guard spawned.error == 0 else {
      for end in [ends[1], ends[2], ends[4]] { close(end) }
      throw SyncError(
        .invalidSettings,
        "the program `\(words.first ?? "")` cannot be run (\(Self.message(spawned.error))); is it installed?")
    }
    (id, input, output, errors) = (spawned.id, ends[1], ends[2], ends[4])
    (self.patience, self.stop) = (patience, stop)
    for end in [input, output, errors] { _ = posix_fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit { end(isComplete: false) }

  // MARK: Talking

  /// Writes all of `bytes`; false if the program does not listen any more.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) -> Bool {
    var rest = unsafe bytes[...]
    var waited = Waiting(patience)
    while unsafe !rest.isEmpty {
      let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe CPOSIX.write(input, part.baseAddress, part.count)
      if count > 0 {
        unsafe rest = unsafe rest.dropFirst(count)
        waited = Waiting(patience)
      } else if count < 0, Self.error == EINTR {
        continue
      } else if count < 0, Self.error != EAGAIN {
        listenToTheEnd()
        return false
      } else {
        try wait(&waited, writing: true)
      }
    }
    return true
  }

  /// Reads some bytes; 0 when the program says nothing more.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    if !unread.isEmpty {
      let part = unread.prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      unread.removeFirst(part.count)
      return part.count
    }
    var waited = Waiting(patience)
    while true {
      let count = unsafe CPOSIX.read(output, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 {
        listenToTheEnd()
        return 0
      }
      if Self.error != EINTR { try wait(&waited, writing: false) }
    }
  }

  /// The same for bytes in memory.
  func write(_ bytes: [UInt8]) throws(SyncError) -> Bool {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyBytes(from: bytes)
    return try unsafe write(UnsafeRawBufferPointer(copy))
  }

  /// The next bytes, or nil when the program says nothing more.
  func read() throws(SyncError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    defer { unsafe buffer.deallocate() }
    let count = try unsafe read(into: buffer)
    return count == 0 ? nil : unsafe Array(buffer.prefix(count))
  }

  /// Says that nothing more will be written.
  func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// What the program has complained about, as one line.
  var complaint: String {
    listen()
    let lines = said.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }
    let words = lines.map { $0.trimmingPrefix { $0 == " " } }.filter { !$0.isEmpty && !$0.allSatisfy { $0 == "@" } }
    return words.joined(separator: " / ")
  }

  /// Ends the program: with `isComplete` it may finish what it was told, as long as it takes no more than the patience.
  func end(isComplete: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    endInput()
    var waited = Waiting(isComplete ? patience : .milliseconds(200))
    while !isGone, !stop.isAsked, !waited.isOver {
      listen()
      waited.pass(Self.pause(1))
    }
    if !isGone {
      kill(-id, SIGKILL)
      for _ in 0..<200 where !isGone { _ = Self.pause(5) }
    }
    for end in [output, errors] { close(end) }
  }

  private lazy var isReaped = false

  private var isGone: Bool {
    guard !isReaped else { return true }
    var status: CInt = 0
    isReaped = unsafe waitpid(id, &status, WNOHANG) != 0
    return isReaped
  }

  // MARK: Waiting

  /// How long nothing has moved.
  private struct Waiting {
    private var rest: Duration

    init(_ patience: Duration) { rest = patience }

    var isOver: Bool { rest <= .zero }
    mutating func pass(_ time: Duration) { rest -= time }
  }

  private func wait(_ waited: inout Waiting, writing: Bool) throws(SyncError) {
    try stop.check()
    guard !waited.isOver else {
      throw SyncError(.unavailable, "nothing moved for \(patience.components.seconds) seconds; it is tried again later")
    }
    var places = [
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
    ]
    if !writing { places.removeLast() }
    if unsafe poll(&places, nfds_t(places.count), Self.slice) == 0 { waited.pass(.milliseconds(Int64(Self.slice))) }
    listen()
    // A program that cannot get rid of what it says would never listen.
    if writing, places[1].revents != 0 { hear() }
    let isClosed = places.allSatisfy { $0.revents & Int16(POLLHUP) != 0 || $0.revents == 0 }
    if isClosed, !writing, places[1].revents == 0 { waited.pass(Self.pause(1)) }
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
    for _ in 0..<1_000 where !isGone { _ = Self.pause(1) }
    listen()
  }

  private static func pause(_ milliseconds: UInt32) -> Duration {
    usleep(milliseconds * 1_000)
    return .milliseconds(Int64(milliseconds))
  }

  /// The number of this thread's last error.
  private static var error: CInt { unsafe posix_errno().pointee }

  private static func message(_ error: CInt) -> String { unsafe String(cString: strerror(error)) }
}

// MARK: Starting

extension Program {
  /// Three pipes: of each the end that is read and the end that is written.
  private static func pipes() -> (ends: [CInt], error: CInt) {
    var ends: [CInt] = [-1, -1, -1, -1, -1, -1]
    for index in [0, 2, 4] {
      var pair: [CInt] = [-1, -1]
      guard unsafe pipe(&pair) == 0 else {
        let error = Self.error
        for end in ends where end >= 0 { close(end) }
        return (ends, error)
      }
      // Not among the first three, which the program gets; they may be closed with us, as in a hook of git.
      for (offset, end) in pair.enumerated() {
        ends[index + offset] = posix_fcntl(end, F_DUPFD_CLOEXEC, 3)
        close(end)
      }
    }
    return (ends, 0)
  }

  private static func spawn(_ words: [String], _ variables: [String: String], _ ends: [CInt]) -> (
    id: pid_t, error: CInt
  ) {
    #if os(Linux)
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (end, number) in [(ends[0], CInt(0)), (ends[3], 1), (ends[5], 2)] {
      unsafe posix_spawn_file_actions_adddup2(&actions, end, number)
    }
    unsafe posix_inherit_nothing(&actions)
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var id: pid_t = 0
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe settings.indices { unsafe free(settings[index]) }
    }
    let error = unsafe posix_spawnp(&id, words.first ?? "", &actions, &attributes, &arguments, &settings)
    return (id, error)
  }
}
