internal import CPOSIX

#if os(Linux)
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
#else
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#endif

/// Starts `arguments[0]`, which is looked up in `PATH`, in its own process group. `error` is an errno, or 0 on success.
func spawn(_ arguments: [String], _ variables: [String: String], _ pipes: Pipes) -> (id: pid_t, error: CInt) {
  var id: pid_t = 0
  let error = unsafe withFileActions(pipes) { actions in
    unsafe withAttributes { attributes in
      unsafe withCStrings(arguments) { words in
        unsafe withCStrings(variables.map { "\($0)=\($1)" }) { variables in
          unsafe posix_spawnp(&id, arguments.first ?? "", actions, attributes, words, variables)
        }
      }
    }
  }
  return (id, error)
}

/// Connects the child's descriptors 0 to 2 and closes all others.
private func withFileActions(_ pipes: Pipes, _ body: (UnsafePointer<FileActions>) -> CInt) -> CInt {
  let actions = UnsafeMutablePointer<FileActions>.allocate(capacity: 1)
  unsafe posix_spawn_file_actions_init(actions)
  defer {
    unsafe posix_spawn_file_actions_destroy(actions)
    unsafe actions.deallocate()
  }
  if pipes.theirInput >= 0 {
    unsafe posix_spawn_file_actions_adddup2(actions, pipes.theirInput, STDIN_FILENO)
  } else {
    unsafe posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  }
  unsafe posix_spawn_file_actions_adddup2(actions, pipes.theirOutput, STDOUT_FILENO)
  if pipes.theirErrors >= 0 { unsafe posix_spawn_file_actions_adddup2(actions, pipes.theirErrors, STDERR_FILENO) }
  unsafe posix_inherit_nothing(actions)
  return unsafe body(actions)
}

/// Calls `body` with attributes for a separate process group, and no blocked or ignored signals.
private func withAttributes(_ body: (UnsafePointer<Attributes>) -> CInt) -> CInt {
  let attributes = UnsafeMutablePointer<Attributes>.allocate(capacity: 1)
  unsafe posix_spawnattr_init(attributes)
  defer {
    unsafe posix_spawnattr_destroy(attributes)
    unsafe attributes.deallocate()
  }
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  unsafe posix_spawnattr_setsigdefault(attributes, &signals)
  unsafe sigemptyset(&signals)
  unsafe posix_spawnattr_setsigmask(attributes, &signals)
  unsafe posix_spawnattr_setflags(
    attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  return unsafe body(attributes)
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe body(pointers + [nil])
}
