#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of a file that Emacs has changed and not saved: the link `.#NAME` to `USER@HOST.PID:BOOT`.
package struct EmacsLock: Sendable, Hashable {
  /// The text of the link.
  package let owner: String

  /// Returns the lock of a file; nil if there is none, or if its process on this host has ended.
  package init?(ofFile path: String) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let owner = LocalFile.linkTarget("\(path[..<slash]).#\(path[slash...])") else { return nil }
    self.owner = owner
    if isStale { return nil }
  }

  /// True if the lock belongs to a process of this host that does not run.
  private var isStale: Bool {
    guard let at = owner.lastIndex(of: "@") else { return false }
    let rest = owner[owner.index(after: at)...]
    let address = rest.split(separator: ":").first ?? rest
    guard let dot = address.lastIndex(of: "."), let pid = pid_t(address[address.index(after: dot)...]),
      address[..<dot] == StateFolder.hostName
    else { return false }
    return kill(pid, 0) != 0 && errno == ESRCH
  }
}
