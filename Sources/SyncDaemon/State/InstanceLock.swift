import ArchiveSQLite
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An exclusive lock on a state folder and a store. It ends with its process, however that ends, and no child inherits it.
public final class InstanceLock: Sendable {
  private let state: StateFile
  private let store: StateFile?

  /// Acquires the lock; throws `.locked` if another process has it. Two settings files with the same store exclude each other
  /// by the folder at `root`; if that does not exist, it cannot be locked.
  public init(_ folder: StateFolder, store root: String) throws(SyncError) {
    state = try Self.lockFile(folder.file("lock"))
    store = try Self.lockFolder(root)
    Owner.current.write(to: state)
  }

  /// The process that took the lock of `folder` last, for people; nil if unknown.
  static func owner(of folder: StateFolder) -> String? {
    (try? StateFile(folder.file("lock"), O_RDONLY)).flatMap { Owner.read(from: $0) }?.description
  }

  private static func lockFile(_ path: String) throws(SyncError) -> StateFile {
    let file = try refusal("cannot create the lock file") { () throws(SyncError) in
      try StateFile(path, O_RDWR | O_CREAT)
    }
    guard try file.lock() else {
      let owner = Owner.read(from: file).map { " (\($0.description))" } ?? ""
      throw SyncError(.locked, "another syncd\(owner) is using the same state folder")
    }
    return file
  }

  private static func lockFolder(_ root: String) throws(SyncError) -> StateFile? {
    guard let folder = try? StateFile(root, O_RDONLY | O_DIRECTORY) else { return nil }
    guard try folder.lock() else {
      throw SyncError(.locked, "another syncd with other settings is using \(printable(root.utf8))")
    }
    return folder
  }

  private static func refusal<Value>(
    _ sentence: String, _ body: () throws(SyncError) -> Value
  ) throws(SyncError) -> Value {
    do { return try body() } catch {
      throw SyncError(error.code, "\(sentence): \(error.message)", cause: error.cause)
    }
  }
}

extension StateFile {
  /// Locks the file; returns false if another process has it. Succeeds on file systems without locks, as on some network file
  /// systems for folders.
  fileprivate func lock() throws(SyncError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return false
      case EBADF, EINVAL, ENOLCK, EOPNOTSUPP: return true
      default: throw SyncError(stateFile: path, errno)
      }
    }
    return true
  }
}

/// The owner of the lock, as recorded in the lock file for people. The kernel alone decides who has the lock.
private struct Owner {
  var pid: String
  var host: String
  var boot: String
  var since: String

  static var current: Owner {
    Owner(pid: String(getpid()), host: StateFolder.hostName, boot: bootID, since: String(Runtime.real.now().seconds))
  }

  var description: String { host == StateFolder.hostName ? "pid \(pid)" : "pid \(pid) on \(host)" }

  // A full disk can prevent this record, but not the lock.
  func write(to file: StateFile) {
    guard ftruncate(file.descriptor, 0) == 0 else { return }
    try? file.write(Array("\(pid)\n\(host)\n\(boot)\n\(since)\n".utf8))
  }

  static func read(from file: StateFile) -> Owner? {
    guard let bytes = try? file.read(atMost: 1024) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 4, Int(lines[0]) != nil else { return nil }
    return Owner(
      pid: String(lines[0]), host: printable(lines[1].utf8), boot: String(lines[2]), since: String(lines[3]))
  }

  private static var bootID: String {
    let bytes = try? StateFile("/proc/sys/kernel/random/boot_id", O_RDONLY).read(atMost: 64)
    return String(decoding: bytes ?? [], as: UTF8.self).filter { $0 != "\n" }
  }
}
