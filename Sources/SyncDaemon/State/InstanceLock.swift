import ArchiveSQLite
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An exclusive lock on a state folder and a store. It ends with its process, however that ends.
///
/// The kernel ends a lock with the last descriptor of its open file. A child has a copy of each descriptor until it runs its
/// program, and may live longer than its parent. So the lock is released explicitly, and a lock whose owner has ended is waited for.
public final class InstanceLock: Sendable {
  private let state: StateFile
  private let store: StateFile?

  /// The time to wait for the children of an owner that has ended.
  private static let patience = Duration.seconds(30)

  /// Acquires the lock; throws `.locked` if another process has it. Two settings files with the same store exclude each other
  /// by the folder at `root`; if that does not exist, it cannot be locked.
  public convenience init(_ folder: StateFolder, store root: String) throws(SyncError) {
    try self.init(folder) { () throws(SyncError) in try Self.lockFolder(root) }
  }

  /// The same with a store of any kind. One that is a file has a lock file beside it: closing the file itself would release the
  /// locks of its database (fcntl(2)).
  convenience init(_ folder: StateFolder, store: StoreConfiguration) throws(SyncError) {
    try self.init(folder) { () throws(SyncError) in
      if let root = store.root { return try Self.lockFolder(root) }
      return try store.place.flatMap { place throws(SyncError) in try Self.lockFile(beside: place) }
    }
  }

  private init(_ folder: StateFolder, _ lockStore: () throws(SyncError) -> StateFile?) throws(SyncError) {
    state = try Self.lockFile(folder.file("lock"))
    store = try lockStore()
    Owner.current.write(to: state)
  }

  deinit {
    store?.unlock()
    state.unlock()
  }

  /// The process that took the lock of `folder` last, for people; nil if unknown.
  static func owner(of folder: StateFolder) -> String? {
    (try? StateFile(folder.file("lock"), O_RDONLY)).flatMap { Owner.read(from: $0) }?.description
  }

  private static func lockFile(_ path: String) throws(SyncError) -> StateFile {
    let file = try refusal("cannot create the lock file") { () throws(SyncError) in
      try StateFile(path, O_RDWR | O_CREAT)
    }
    guard try file.lock(waitingAtMost: patience, while: { Owner.read(from: file).map { !$0.isRunning } ?? false })
    else {
      let owner = Owner.read(from: file).map { " (\($0.description))" } ?? ""
      throw SyncError(.locked, "another syncd\(owner) is using the same state folder")
    }
    return file
  }

  /// A file in a folder that does not exist, or cannot be written to, is not in use.
  private static func lockFile(beside place: String) throws(SyncError) -> StateFile? {
    guard let file = try? StateFile(place + "-lock", O_RDWR | O_CREAT) else { return nil }
    return try lock(file, of: place)
  }

  private static func lockFolder(_ root: String) throws(SyncError) -> StateFile? {
    guard let folder = try? StateFile(root, O_RDONLY | O_DIRECTORY) else { return nil }
    return try lock(folder, of: root)
  }

  private static func lock(_ folder: StateFile, of root: String) throws(SyncError) -> StateFile {
    guard try folder.lock(waitingAtMost: patience, while: { LockHolders.haveEnded(folder) }) else {
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
  fileprivate func tryLock() throws(SyncError) -> Bool {
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

  /// Locks the file like `tryLock`, repeatedly while `isLeftOver` returns true.
  fileprivate func lock(waitingAtMost patience: Duration, while isLeftOver: () -> Bool) throws(SyncError) -> Bool {
    let end = ContinuousClock.now + patience
    while try !tryLock() {
      guard isLeftOver(), ContinuousClock.now < end else { return false }
      usleep(20_000)
    }
    return true
  }

  /// Releases the lock, also if children have copies of the descriptor.
  fileprivate func unlock() { _ = flock(descriptor, LOCK_UN) }
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

  /// True unless this machine had the process and it has ended.
  var isRunning: Bool {
    guard host == StateFolder.hostName, let number = pid_t(pid) else { return true }
    return ProcessState.isRunning(number)
  }

  // A full disk can prevent this record, but not the lock.
  func write(to file: StateFile) {
    guard ftruncate(file.descriptor, 0) == 0 else { return }
    try? file.write(Array("\(pid)\n\(host)\n\(boot)\n\(since)\n".utf8))
  }

  static func read(from file: StateFile) -> Owner? {
    guard let bytes = try? file.read(atMost: 1024, from: 0) else { return nil }
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
