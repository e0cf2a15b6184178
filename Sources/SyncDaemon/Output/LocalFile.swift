package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files that a person names on the command line, outside store and remotes.
package enum LocalFile {
  /// The bytes of the file at `path`, or of whatever else can be read there to an end.
  package static func read(_ path: String) throws(SyncError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SyncError(.pathFailed, "cannot read \(path): \(systemMessage)") }
    defer { close(descriptor) }
    do { return try read(descriptor) } catch {
      throw SyncError(.pathFailed, "cannot read \(path): \(error.message)")
    }
  }

  /// The bytes that are still to come from an open file.
  package static func read(_ descriptor: Int32) throws(SyncError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe readBytes(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SyncError(.pathFailed, systemMessage) }
      if count == 0 { return bytes }
      bytes += part[..<count]
    }
  }

  /// Writes the bytes to the file at `path`, whole or not at all. What a link leads to is replaced, not the link, and a
  /// file keeps its mode.
  package static func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
    let target = exists(path) ? FolderNames.resolved(path) : path
    try replace(target, with: bytes, mode: mode(of: target), isDurable: false)
  }

  /// The permissions of the file at `path`; nil if there is none.
  static func mode(of path: String) -> mode_t? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
  }

  /// The same, so that no other user can read it, not even for a moment.
  package static func writePrivately(_ bytes: [UInt8], to path: String) throws(SyncError) {
    try replace(path, with: bytes, mode: 0o600, isDurable: true)
  }

  /// The same, so that all users can read it, whatever the umask is, and without flushing the disk.
  package static func writePublicly(_ bytes: [UInt8], to path: String) throws(SyncError) {
    try replace(path, with: bytes, mode: 0o644, isDurable: false)
  }

  /// - Parameter mode: the permissions; what the umask leaves to a new file if nil.
  private static func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t?, isDurable: Bool
  ) throws(SyncError) {
    let temporary = "\(path).\(UInt32.random(in: 0...(.max)))"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
    guard descriptor >= 0 else { throw SyncError(.pathFailed, "cannot write \(path): \(systemMessage)") }
    let count = unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
    let isReady = (mode.map { fchmod(descriptor, $0) } ?? 0) == 0 && (!isDurable || fsync(descriptor) == 0)
    guard close(descriptor) == 0, isReady, count == bytes.count, unsafe rename(temporary, path) == 0 else {
      let error = SyncError(.pathFailed, "cannot write \(path): \(systemMessage)")
      try remove(temporary)
      throw error
    }
  }

  private static var systemMessage: String { unsafe String(cString: strerror(errno)) }

  /// Removes the file at `path`.
  package static func remove(_ path: String) throws(SyncError) {
    guard unsafe unlink(path) == 0 else {
      throw SyncError(.pathFailed, "cannot remove \(path): \(systemMessage)")
    }
  }

  /// Renames the file at `path`; the new name must be free.
  package static func move(_ path: String, to other: String) throws(SyncError) {
    guard !exists(other) else { throw SyncError(.pathFailed, "cannot move \(path): \(other) exists") }
    guard unsafe rename(path, other) == 0 else {
      throw SyncError(.pathFailed, "cannot move \(path) to \(other): \(systemMessage)")
    }
  }

  /// Makes the file at `path` executable for all users who can read it.
  package static func makeExecutable(_ path: String) throws(SyncError) {
    guard unsafe chmod(path, 0o755) == 0 else {
      throw SyncError(.pathFailed, "cannot make \(path) executable: \(systemMessage)")
    }
  }

  /// True if the current user can run the file at `path`.
  package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

  /// Returns true if something is at `path`, be it a link that leads nowhere.
  package static func exists(_ path: String) -> Bool {
    var facts = stat()
    return unsafe lstat(path, &facts) == 0
  }

  /// Where the link at `path` leads; nil if there is none.
  package static func linkTarget(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Makes the folder at `path` and those above it.
  package static func makeFolder(_ path: String) throws(SyncError) {
    guard unsafe mkdir(path, 0o777) != 0, errno != EEXIST || !isFolder(path) else { return }
    if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeFolder(String(path[..<slash]))
      if unsafe mkdir(path, 0o777) == 0 { return }
    }
    throw SyncError(.pathFailed, "cannot create \(path): \(systemMessage)")
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}

/// read(2); a name of its own, because the C function's is hidden by a method here.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}
