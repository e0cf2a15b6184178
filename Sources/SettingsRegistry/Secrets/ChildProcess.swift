import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program in a process group of its own, whose standard input is empty and whose standard output we read.
final class ChildProcess {
  private let id: pid_t
  private let output: CInt
  private var status: CInt?

  /// Starts `words[0]`, sought in `PATH`, with exactly these environment variables.
  init(_ words: [String], variables: [String: String]) throws(SecretError) {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SecretError("no pipe for a command: \(systemMessage(errno))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    defer { close(ends[1]) }
    let (id, error) = spawn(words, variables, output: ends[1])
    guard error == 0 else {
      close(ends[0])
      throw SecretError("the command \"\(words.first ?? "")\" cannot be run: \(systemMessage(error))")
    }
    self.id = id
    output = ends[0]
    _ = Self.running.withLock { $0.insert(id) }
  }

  /// The programs that have not ended yet, as far as is known.
  private static let running = Mutex<Set<pid_t>>([])

  /// Ends all that still run, each with all of its group.
  static func endAll() { running.withLock { for id in $0 { kill(-id, SIGKILL) } } }

  deinit {
    close(output)
  }

  /// The status with which the program exited, or 128 and the signal that ended it; nil while it runs.
  /// It is -1 if somebody else waited for the program, so that nobody knows.
  func exitStatus() -> CInt? {
    if let status { return status }
    var word: CInt = 0
    let answer = unsafe waitpid(id, &word, WNOHANG)
    guard answer != 0 else { return nil }
    _ = Self.running.withLock { $0.remove(id) }
    let signal = word & 0x7F
    status = answer < 0 ? -1 : signal == 0 ? word >> 8 & 0xFF : 128 + signal
    return status
  }

  /// What the program has printed by now and was not read yet, but not much more than `limit` bytes.
  func availableOutput(upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit, let part = readAvailable(output), !part.isEmpty { bytes += part }
    return bytes
  }

  /// Ends the program and all of its group, unless it has exited.
  func end() {
    guard exitStatus() == nil else { return }
    kill(-id, SIGKILL)
    // The kernel lets it go at once; should it not, we do not wait for it.
    for _ in 0..<100 where exitStatus() == nil { usleep(1000) }
  }
}
