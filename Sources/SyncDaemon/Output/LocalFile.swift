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

/// Files on the command line, outside of store and remotes.
package enum LocalFile {
  /// Returns the bytes of the file at `path`, or of anything else that can be read to an end.
  package static func read(_ path: String) throws(SyncError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SyncError(.pathFailed, "cannot read \(path): \(systemMessage)") }
    defer { close(descriptor) }
    do { return try read(descriptor) } catch {
      throw SyncError(.pathFailed, "cannot read \(path): \(error.message)")
    }
  }

  /// Returns the remaining bytes of an open file.
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

  /// Atomically writes the bytes to the file at `path`. Replaces the target of a link, not the link, and keeps the file's mode.
  package static func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
    let target = exists(path) ? FolderNames.resolved(path) : path
    try replace(target, with: bytes, mode: mode(of: target), isDurable: false)
  }

  /// Returns the permissions of the file at `path`; nil if it does not exist.
  static func mode(of path: String) -> mode_t? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
  }

  /// The same, but no other user can ever read the file, and durably.
  package static func writePrivately(_ bytes: [UInt8], to path: String) throws(SyncError) {
    try replace(path, with: bytes, mode: 0o600, isDurable: true)
  }

  /// The same, but all users can read the file, regardless of the umask.
  package static func writePublicly(_ bytes: [UInt8], to path: String) throws(SyncError) {
    try replace(path, with: bytes, mode: 0o644, isDurable: false)
  }

  /// - Parameter mode: the permissions; nil for those of a new file.
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

  /// Returns true if the current user can run the file at `path`.
  package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

  /// Returns true if something is at `path`, even a dangling link.
  package static func exists(_ path: String) -> Bool {
    var facts = stat()
    return unsafe lstat(path, &facts) == 0
  }

  /// Returns true if there is anything at a path of any bytes.
  package static func exists(bytes path: [UInt8]) -> Bool {
    var facts = stat()
    return unsafe (path + [0]).withUnsafeBytes { bytes in
      guard let name = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return false }
      return unsafe lstat(name, &facts) == 0
    }
  }

  /// Returns the target of the link at `path`; nil if it is not a link.
  package static func linkTarget(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Creates the folder at `path` and its parents.
  package static func makeFolder(_ path: String) throws(SyncError) {
    guard unsafe mkdir(path, 0o777) != 0, errno != EEXIST || !isFolder(path) else { return }
    if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeFolder(String(path[..<slash]))
      if unsafe mkdir(path, 0o777) == 0 { return }
    }
    throw SyncError(.pathFailed, "cannot create \(path): \(systemMessage)")
  }

  /// Creates the folder of the file at `path` and its parents.
  package static func makeFolder(ofFile path: String) throws(SyncError) {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeFolder(String(path[..<slash])) }
  }

  /// Makes the folder at `path`, whose parent must exist. Returns false if it was there already.
  package static func makeOneFolder(_ path: String) throws(SyncError) -> Bool {
    if unsafe mkdir(path, 0o777) == 0 { return true }
    if errno == EEXIST, isFolder(path) { return false }
    throw SyncError(.pathFailed, "cannot create \(path): \(systemMessage)")
  }

  /// Returns true if a folder is at `path`, possibly through a link.
  package static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}

/// read(2), under another name because a method shadows the C function.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}
