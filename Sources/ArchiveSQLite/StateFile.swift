internal import CPOSIX
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder of the program itself. It is closed with its last owner, and no child inherits it.
package final class StateFile: Sendable {
  package let path: String
  package let descriptor: Int32

  /// Opens `path` with `flags`; only its owner can read a file that is created.
  ///
  /// - Parameter followsLinks: false if a symbolic link at `path` is an error, as it is by default where a file may be created:
  ///   no file of the state folder is created through a link.
  package init(_ path: String, _ flags: Int32, followsLinks: Bool? = nil) throws(SyncError) {
    self.path = path
    let followsLinks = followsLinks ?? (flags & O_CREAT == 0)
    descriptor = unsafe open(path, flags | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), 0o600)
    if descriptor >= 0 { return }
    guard errno == ELOOP, !followsLinks else { throw SyncError(stateFile: path, errno) }
    throw SyncError(.unexpected, "\(printable(path.utf8)) is a symbolic link, which syncd does not follow; remove it")
  }

  /// Opens `path` for reading; nil if nothing is there. A file that cannot be reached, for example because a folder above it must
  /// not be searched, is an error and not an absent file.
  package convenience init?(ifPresent path: String, _ flags: Int32 = O_RDONLY) throws(SyncError) {
    do throws(SyncError) {
      try self.init(path, flags)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  deinit {
    // A file that could not be opened has no descriptor.
    if descriptor >= 0 { close(descriptor) }
  }

  /// Writes all bytes at the current position.
  package func write(_ bytes: [UInt8]) throws(SyncError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Self.write(descriptor, $0) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw SyncError(stateFile: path, errno) }
    }
  }

  /// Returns the next bytes, at most `count`; none at the end.
  package func read(atMost count: Int) throws(SyncError) -> [UInt8] {
    while true {
      var result = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        result = unsafe Self.read(descriptor, buffer)
        initialized = max(0, result)
      }
      if result >= 0 { return bytes }
      if errno != EINTR { throw SyncError(stateFile: path, errno) }
    }
  }

  /// Writes all bytes at a position.
  package func write(_ bytes: [UInt8], at position: Int) throws(SyncError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(position + done))
      }
      if count >= 0 { done += count } else if errno != EINTR { throw SyncError(stateFile: path, errno) }
    }
  }

  /// Returns the bytes from a position, fewer than `count` at the end of the file.
  package func read(atMost count: Int, from position: Int) throws(SyncError) -> [UInt8] {
    var number: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let result = unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, count - done, off_t(position + done))
        if result > 0 { done += result } else if result == 0 { return }
        if result < 0, errno != EINTR {
          number = errno
          return
        }
      }
    }
    guard number == 0 else { throw SyncError(stateFile: path, number) }
    return bytes
  }

  /// Makes the file's bytes, or the folder's names, durable. After a failure the file must be discarded: a second call would
  /// succeed without having written anything.
  package func sync() throws(SyncError) {
    guard fsync(descriptor) == 0 else { throw SyncError(stateFile: path, errno) }
  }

  /// Atomically and durably replaces whatever is at `path` by a small file with these bytes. Several processes may do so at
  /// once: one after the other.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SyncError) {
    let file = try locked(path + ".tmp")
    guard ftruncate(file.descriptor, 0) == 0 else { throw SyncError(stateFile: file.path, errno) }
    try file.write(bytes)
    try file.sync()
    guard unsafe rename(file.path, path) == 0 else { throw SyncError(stateFile: path, errno) }
    try syncFolder(folder(of: path))
  }

  /// Opens a file, which may be left over from a killed process, and locks it until it is closed.
  private static func locked(_ path: String) throws(SyncError) -> StateFile {
    while true {
      let file = try StateFile(path, O_WRONLY | O_CREAT)
      while flock(file.descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw SyncError(stateFile: path, errno) }
      }
      // The process that had the lock has renamed the file.
      if file.isStillThere { return file }
    }
  }

  /// True if the open file is the one at its path.
  private var isStillThere: Bool {
    var (opened, there) = (stat(), stat())
    return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &there) == 0 && opened.st_ino == there.st_ino
      && opened.st_dev == there.st_dev
  }

  /// The parent folder of a path.
  package static func folder(of path: String) -> String {
    let parts = path.split(separator: "/").dropLast().joined(separator: "/")
    if path.hasPrefix("/") { return "/" + parts }
    return parts.isEmpty ? "." : parts
  }

  /// Makes the names in a folder durable.
  package static func syncFolder(_ path: String) throws(SyncError) {
    try StateFile(path, O_RDONLY | O_DIRECTORY).sync()
  }

  /// Returns the names in a folder; none if it does not exist.
  package static func names(in folder: String) throws(SyncError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw SyncError(stateFile: folder, errno)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the size and modification time of a file; nil if it does not exist.
  package static func facts(_ path: String) -> (size: Int, modified: Timestamp)? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
    unsafe posix_modified(&facts, &seconds, &nanoseconds)
    return (Int(facts.st_size), Timestamp(nanoseconds: seconds * 1_000_000_000 + nanoseconds))
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

extension SyncError {
  /// The error for a system call that failed on one of the program's own files.
  package init(stateFile path: String, _ number: Int32) {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .noSpace
      case ENOENT: .notFound
      default: .unexpected
      }
    self.init(code, "\(printable(path.utf8)): \(unsafe String(cString: strerror(number)))")
  }
}
