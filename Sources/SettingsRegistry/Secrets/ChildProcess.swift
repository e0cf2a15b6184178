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
    let (id, error) = Self.spawn(words, variables, output: ends[1])
    guard error == 0 else {
      close(ends[0])
      throw SecretError("the command \"\(words.first ?? "")\" cannot be run: \(systemMessage(error))")
    }
    self.id = id
    output = ends[0]
  }

  deinit {
    close(output)
  }

  /// The status with which the program exited, or 128 and the signal that ended it; nil while it runs.
  func exitStatus() -> CInt? {
    if let status { return status }
    var word: CInt = 0
    guard unsafe waitpid(id, &word, WNOHANG) != 0 else { return nil }
    let signal = word & 0x7F
    status = signal == 0 ? word >> 8 & 0xFF : 128 + signal
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

  private static func spawn(
    _ words: [String], _ variables: [String: String], output: CInt
  ) -> (id: pid_t, error: CInt) {
    var id: pid_t = 0
    let variables = variables.map { "\($0)=\($1)" }
    let error = unsafe withSpawnSettings(output: output) { actions, attributes in
      unsafe withCStrings(words) { arguments in
        unsafe withCStrings(variables) { variables in
          unsafe posix_spawnp(&id, words.first ?? "", actions, attributes, arguments, variables)
        }
      }
    }
    return (id, error)
  }
}

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
#endif

/// Calls `body` with what a child gets from us: nothing to read, `output`, its own group, and default signals.
private func withSpawnSettings(
  output: CInt, _ body: (UnsafePointer<FileActions>, UnsafePointer<Attributes>) -> CInt
) -> CInt {
  let actions = UnsafeMutablePointer<FileActions>.allocate(capacity: 1)
  let attributes = UnsafeMutablePointer<Attributes>.allocate(capacity: 1)
  unsafe posix_spawn_file_actions_init(actions)
  unsafe posix_spawnattr_init(attributes)
  defer {
    unsafe posix_spawn_file_actions_destroy(actions)
    unsafe posix_spawnattr_destroy(attributes)
    unsafe actions.deallocate()
    unsafe attributes.deallocate()
  }
  unsafe posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO)
  var allSignals = sigset_t()
  unsafe sigfillset(&allSignals)
  unsafe posix_spawnattr_setsigdefault(attributes, &allSignals)
  var noSignals = sigset_t()
  unsafe sigemptyset(&noSignals)
  unsafe posix_spawnattr_setsigmask(attributes, &noSignals)
  let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
  unsafe posix_spawnattr_setflags(attributes, CShort(flags))
  return unsafe body(actions, attributes)
}

/// Calls `body` with the array of C strings that ends in a null pointer.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
  defer {
    for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  }
  return unsafe body(pointers + [nil])
}
