#if os(Linux)
  internal import CPOSIX

  /// Which folder is at a path. Two folders differ in it, also a mount point without and with its disk.
  struct FolderID: Equatable {
    private let device: UInt64
    private let inode: UInt64

    init?(of folder: Folder) {
      guard let facts = try? folder.facts() else { return nil }
      (device, inode) = (UInt64(facts.device), UInt64(facts.inode))
    }

    /// The folder at `path`; nil if there is none.
    init?(at path: String) {
      guard let folder = try? Folder.root(at: path) else { return nil }
      self.init(of: folder)
    }
  }

  /// Waits for events of inotify, for disks that are mounted or unmounted, and for the end.
  struct MountWaiter: ~Copyable {
    enum Event {
      case input, mounts, closed
    }

    /// The read end of a pipe whose other end is closed when no one listens any more.
    private let end: CInt
    /// The mounts of this process; -1 where the system does not tell.
    private let mounts: CInt

    init(end: CInt) {
      self.end = end
      mounts = unsafe posix_openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0)
    }

    deinit { if mounts >= 0 { _ = close(mounts) } }

    func wait(for inotify: CInt) -> Event {
      while true {
        var waits = [
          pollfd(fd: end, events: 0, revents: 0), pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
          // A change is reported as an exceptional condition (proc(5)).
          pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
        ]
        guard unsafe poll(&waits, 3, -1) >= 0 else {
          if Errno.current.number == EINTR { continue }
          return .closed
        }
        if waits[0].revents != 0 { return .closed }
        if waits[1].revents != 0 { return .input }
        if waits[2].revents != 0 { return .mounts }
      }
    }
  }

  /// Waits for a folder that does not exist: it may be created, or be on a disk that is not mounted.
  struct RootWait {
    let path: String

    private static let mask =
      UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

    /// Returns true once the folder exists, false if the waiter's end is closed. Tells if the folder has appeared.
    func waitForRoot(_ waiter: borrowing MountWaiter, _ tell: () -> Void) -> Bool {
      if FolderID(at: path) != nil { return true }
      let inotify = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
      defer { if inotify >= 0 { _ = close(inotify) } }
      while true {
        // First the watch, so that nothing is created unnoticed between the two.
        watchNearestFolder(inotify)
        if FolderID(at: path) != nil {
          tell()
          return true
        }
        if waiter.wait(for: inotify) == .closed { return false }
        drain(inotify)
      }
    }

    /// Watches the nearest folder above that exists.
    private func watchNearestFolder(_ inotify: CInt) {
      var folder = path[...]
      while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        let name = folder.isEmpty ? "/" : String(folder)
        if unsafe inotify_add_watch(inotify, name, Self.mask) >= 0 || folder.isEmpty { return }
      }
    }

    private func drain(_ inotify: CInt) {
      _ = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, unsafe read(inotify, buffer.baseAddress, 1 << 16))
      }
    }
  }
#endif
