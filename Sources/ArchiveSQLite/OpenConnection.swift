import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection of this process to a database file, from before it is opened until after it is closed.
///
/// A process releases all its locks on a file when it closes any descriptor of that file (fcntl(2), F_SETLK): also those that SQLite
/// holds for a connection. Another process could then remove the write-ahead log in use. So the file must not be opened and closed in
/// any other way while a connection is open.
final class OpenConnection: Sendable {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  /// The file; nil once the connection is closed, or if there was no file.
  private let file: Mutex<FileIdentity?>

  init(to path: String) {
    let file = FileIdentity(at: path)
    self.file = Mutex(file)
    if let file { Self.counts.withLock { $0[file, default: 0] += 1 } }
  }

  deinit { end() }

  /// To be called once the connection is closed.
  func end() {
    let file = file.withLock { file in
      defer { file = nil }
      return file
    }
    guard let file else { return }
    Self.counts.withLock { counts in
      let rest = (counts[file] ?? 0) - 1
      counts[file] = rest > 0 ? rest : nil
    }
  }

  /// Runs `body`, which may open and close the file at `path`, unless a connection to it is open; then it returns nil. No connection
  /// is opened meanwhile.
  static func ifNone<Value>(
    to path: String, _ body: () throws(SyncError) -> Value
  ) throws(SyncError) -> Value? {
    try counts.withLock { counts throws(SyncError) in
      if let file = FileIdentity(at: path), counts[file] != nil { return nil }
      return try body()
    }
  }
}

/// What distinguishes a file from all others of the machine.
private struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64

  init?(at path: String) {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    (device, number) = (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(truncatingIfNeeded: facts.st_ino))
  }
}
