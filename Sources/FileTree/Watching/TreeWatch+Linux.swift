#if os(Linux)
  internal import CPOSIX
  import Dispatch
  import Foundation
  internal import SyncKit

  /// Reports when something in a tree may have changed, with inotify(7).
  ///
  /// It is only a hint: the next scheduled pass finds what the kernel dropped, what a network drive never reports, and what
  /// exceeds the number of watches (`fs.inotify.max_user_watches`). The program's own temporary files, and default ignored
  /// files, are not reported. TreeWatch+macOS is the counterpart for macOS.
  ///
  /// It keeps no file or folder of the tree open: a disk can be unmounted while it is watched, which ends the watches on it.
  struct TreeWatch {
    private let inotify: CInt
    /// The path of the root, and which folder is watched there.
    private let path: String
    private let root: FolderID
    private let filter = PathFilter(ignore: DefaultIgnores.lines)
    /// The watched folders, by the number of their watch; the root has an empty path.
    private var folders: [CInt: [UInt8]] = [:]
    /// The number of folders that could not be watched, and the callback for it.
    private var unwatched = 0
    private let tellUnwatched: @Sendable (Int) -> Void

    /// The maximum number of folders that all programs of a user can watch.
    static var limit: Int? {
      guard let text = try? String(contentsOfFile: "/proc/sys/fs/inotify/max_user_watches", encoding: .utf8) else {
        return nil
      }
      return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static let separator = UInt8(ascii: "/")
    private static let mask =
      UInt32(
        IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
          | IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)

    /// Returns a stream of changes of the tree below `path`. It also reports that the folder itself appears, disappears or is
    /// replaced by another one, as when a disk is mounted. It ends when the tree cannot be watched.
    ///
    /// - Parameter tellUnwatched: receives the number of folders that cannot be watched, whenever it changes.
    static func changes(
      below path: String, _ tellUnwatched: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<Void> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return continuation.finish() }
        for end in ends { _ = posix_fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (listening, closing) = (ends[0], ends[1])
        // Closing the pipe's other end tells the thread that its reader is gone.
        continuation.onTermination = { @Sendable _ in _ = close(closing) }
        DispatchQueue(label: "watch").async { @Sendable in
          let waiter = MountWaiter(end: listening)
          watch(path, until: waiter, tellUnwatched) { continuation.yield() }
          continuation.finish()
          _ = close(listening)
        }
      }
    }

    /// Watches whichever folder is at `path`, one after the other, until the waiter's end is closed or the folder cannot be
    /// watched.
    private static func watch(
      _ path: String, until waiter: borrowing MountWaiter, _ tellUnwatched: @escaping @Sendable (Int) -> Void,
      _ tell: () -> Void
    ) {
      while RootWait(path: path).waitForRoot(waiter, tell) {
        guard var watch = TreeWatch(below: path, tellUnwatched) else {
          if FolderID(at: path) == nil { continue }
          return
        }
        // Changes during the scan of the folders were not reported.
        tell()
        let isOver = watch.run(until: waiter, tell)
        _ = close(watch.inotify)
        if isOver { return }
      }
    }

    private init?(below path: String, _ tellUnwatched: @escaping @Sendable (Int) -> Void) {
      self.tellUnwatched = tellUnwatched
      self.path = path
      tellUnwatched(0)
      guard let folder = try? Folder.root(at: path), let id = FolderID(of: folder) else { return nil }
      root = id
      inotify = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
      guard inotify >= 0 else { return nil }
      watch([], in: folder)
      guard !folders.isEmpty else {
        _ = close(inotify)
        return nil
      }
    }

    /// Watches the folder at `path` in the tree and all below it, unless another folder is the root by now.
    private mutating func watch(_ path: [UInt8]) {
      guard let folder = try? Folder.root(at: self.path), FolderID(of: folder) == root else { return }
      watch(path, in: folder)
    }

    private mutating func watch(_ path: [UInt8], in root: Folder) {
      guard path.isEmpty || filter.accepts(folder: path), let folder = try? Self.open(path, in: root) else { return }
      let number = unsafe inotify_add_watch(inotify, "/proc/self/fd/\(folder.number)", Self.mask)
      guard number >= 0 else {
        if Errno.current.number == ENOSPC { noteUnwatched() }
        return
      }
      folders[number] = path
      guard var listing = try? Listing(of: folder) else { return }
      while let item = listing.popFirst() {
        let isFolder =
          item.kind == .folder || (item.kind == nil && (try? listing.facts(of: item, in: folder).kind) == .folder)
        if isFolder { watch(Self.join(path, listing.name(item)), in: root) }
      }
    }

    private mutating func noteUnwatched() {
      unwatched += 1
      tellUnwatched(unwatched)
    }

    private static func open(_ path: [UInt8], in root: Folder) throws(Errno) -> Folder {
      var folder = root
      for name in path.split(separator: separator) { folder = try folder.folder(FileName(name)) }
      return folder
    }

    private static func join(_ path: [UInt8], _ name: some Collection<UInt8>) -> [UInt8] {
      path.isEmpty ? Array(name) : path + [Self.separator] + name
    }

    /// Tells of every change until the root is gone or the waiter's end is closed; true for the latter.
    private mutating func run(until waiter: borrowing MountWaiter, _ tell: () -> Void) -> Bool {
      while true {
        switch waiter.wait(for: inotify) {
        case .closed: return true
        case .mounts:
          guard FolderID(at: path) != root else { continue }
          tell()
          return false
        case .input:
          switch take() {
          case .nothing: break
          case .news: tell()
          case .end:
            tell()
            return false
          }
        }
      }
    }

    private enum Outcome {
      case nothing, news, end
    }

    private mutating func take() -> Outcome {
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, unsafe read(inotify, buffer.baseAddress, 1 << 16))
      }
      var outcome = Outcome.nothing
      var rest = bytes[...]
      while let (event, name) = Self.popEvent(&rest) {
        switch record(event, name) {
        case .nothing: break
        case .news: outcome = .news
        case .end: return .end
        }
      }
      return outcome
    }

    /// Returns the next event, and the name in its folder that it concerns.
    private static func popEvent(_ bytes: inout ArraySlice<UInt8>) -> (inotify_event, ArraySlice<UInt8>)? {
      let size = MemoryLayout<inotify_event>.size
      guard bytes.count >= size else { return nil }
      let event = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
      let name = bytes.dropFirst(size).prefix(Int(event.len))
      bytes = bytes.dropFirst(size + Int(event.len))
      return (event, name.prefix { $0 != 0 })
    }

    private mutating func record(_ event: inotify_event, _ name: ArraySlice<UInt8>) -> Outcome {
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .end }
      guard let folder = folders[event.wd] else { return .nothing }
      if event.mask & UInt32(IN_IGNORED) != 0 { folders[event.wd] = nil }
      if name.isEmpty {
        // An event of the folder itself; for all folders except the root, the parent reports it too.
        let gone = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
        return folder.isEmpty && event.mask & gone != 0 ? .end : .nothing
      }
      let path = Self.join(folder, name)
      if event.mask & UInt32(IN_ISDIR) == 0 { return filter.accepts(file: path) ? .news : .nothing }
      guard filter.accepts(folder: path) else { return .nothing }
      if event.mask & UInt32(IN_MOVED_FROM) != 0 { forget(path) }
      if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { watch(path) }
      return .news
    }

    /// Stops watching a folder that was moved away, and all below it.
    private mutating func forget(_ path: [UInt8]) {
      for (number, folder) in folders where folder == path || folder.starts(with: path + [Self.separator]) {
        inotify_rm_watch(inotify, number)
        folders[number] = nil
      }
    }
  }
#endif
