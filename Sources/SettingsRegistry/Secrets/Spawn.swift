#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
#endif

/// Starts `arguments[0]`, sought in `PATH`, with these environment variables and `output` as its standard output.
/// Returns an error number other than 0 on failure.
func spawn(_ arguments: [String], _ variables: [String: String], output: CInt) -> (id: pid_t, error: CInt) {
  var id: pid_t = 0
  let program = arguments.first ?? ""
  let error = unsafe withSpawnSettings(output: output) { actions, attributes in
    unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(variables.map { "\($0)=\($1)" }) { variables in
        unsafe posix_spawnp(&id, program, actions, attributes, arguments, variables)
      }
    }
  }
  return (id, error)
}

/// Calls `body` with the settings of the child: an empty input, `output`, its own process group, and default signals.
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
  // In this order, because `output` may be descriptor 0 if our own standard input is closed.
  unsafe posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO)
  unsafe posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
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

/// Calls `body` with an array of C strings that ends with a null pointer.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
  defer {
    for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  }
  return unsafe body(pointers + [nil])
}
