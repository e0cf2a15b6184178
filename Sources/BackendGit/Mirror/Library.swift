internal import CGit2
internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// libgit2, loaded and set up once for the process.
///
/// Nothing that is configured on this machine has a say in what it does: no replaced addresses, filters, proxies or hooks,
/// for they belong to the git that people run by hand.
enum Library {
  /// True if the library is initialized; reading this initializes it.
  static let isReady: Bool = {
    guard unsafe git_load() == nil, git_libgit2_init() > 0 else { return false }
    for level in [GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL]
    {
      _ = unsafe git_set_search_path(level.rawValue, "")
    }
    // A program that ends while we talk to it must not end us.
    _ = signal(SIGPIPE, SIG_IGN)
    // Our own copies are opened by their path, which no other user can write to.
    _ = git_set_number(CInt(GIT_OPT_SET_OWNER_VALIDATION.rawValue), 0)
    return true
  }()

  /// What the last call of this thread complained about.
  static var complaint: String {
    if let reason = unsafe git_load() { return unsafe String(cString: reason) }
    guard let error = unsafe git_error_last(), let text = unsafe error.pointee.message else { return "no reason given" }
    return printable(Array(unsafe String(cString: text).utf8))
  }
}
