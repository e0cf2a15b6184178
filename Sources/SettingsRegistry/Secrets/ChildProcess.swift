import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program in a process group of its own, with an empty standard input and a standard output that is read here.
final class ChildProcess {
  private let id: pid_t
  private let output: CInt
  private var status: CInt?

  /// Starts `arguments[0]`, sought in `PATH`, with exactly these environment variables.
  init(_ arguments: [String], variables: [String: String]) throws(SecretError) {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw SecretError("cannot open a pipe for a command: \(systemMessage(errno))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    defer { close(ends[1]) }
    let (id, error) = spawn(arguments, variables, output: ends[1])
    guard error == 0 else {
      close(ends[0])
      throw SecretError("the command \"\(arguments.first ?? "")\" cannot be run: \(systemMessage(error))")
    }
    self.id = id
    output = ends[0]
    _ = Self.running.withLock { $0.insert(id) }
  }

  /// The programs that were not seen to exit yet.
  private static let running = Mutex<Set<pid_t>>([])

  /// Kills all that still run, each with its process group.
  static func endAll() { running.withLock { for id in $0 { kill(-id, SIGKILL) } } }

  deinit {
    close(output)
  }

  /// Returns the exit status, or 128 plus the signal that killed the program; nil while it runs; -1 if the status is lost
  /// because other code in this process waited for it.
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

  /// Reads the output that is available without waiting, at most one read beyond `limit` bytes.
  func availableOutput(upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit, let part = readAvailable(output), !part.isEmpty { bytes += part }
    return bytes
  }

  /// Kills the program with its process group, unless it has exited.
  func end() {
    guard exitStatus() == nil else { return }
    kill(-id, SIGKILL)
    // It exits at once; where it does not, it is not waited for.
    for _ in 0..<100 where exitStatus() == nil { usleep(1000) }
  }
}
