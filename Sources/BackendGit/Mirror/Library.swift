internal import CGit2
internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// libgit2, loaded and initialised once per process.
///
/// It ignores the git configuration of this machine: no replaced URLs, filters, proxies or hooks, because those are meant for
/// the git that people run by hand.
enum Library {
  /// True if the library is initialized; reading this initializes it.
  static let isReady: Bool = {
    guard unsafe git_load() == nil, git_libgit2_init() > 0 else { return false }
    for level in [GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL]
    {
      _ = unsafe git_set_search_path(level.rawValue, "")
    }
    // If a program exits while we write to it, the signal must not end this process.
    _ = signal(SIGPIPE, SIG_IGN)
    // Our own copies are opened by paths that no other user can write to.
    _ = git_set_number(CInt(GIT_OPT_SET_OWNER_VALIDATION.rawValue), 0)
    return true
  }()

  /// The error message of this thread's last call.
  static var complaint: String {
    if let reason = unsafe git_load() { return unsafe String(cString: reason) }
    guard let error = unsafe git_error_last(), let text = unsafe error.pointee.message else { return "no reason given" }
    return printable(Array(unsafe String(cString: text).utf8))
  }
}
