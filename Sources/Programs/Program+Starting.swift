internal import CPOSIX

/// How a program is started: three pipes, a process group of its own, and nothing else of ours.
extension Program {
  /// Three pipes: of each the end that is read and the end that is written.
  static func pipes() -> (ends: [CInt], error: CInt) {
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

  static func spawn(_ words: [String], _ variables: [String: String], _ ends: [CInt]) -> (
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
