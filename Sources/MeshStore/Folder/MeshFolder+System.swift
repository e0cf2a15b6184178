internal import CPOSIX
internal import SyncKit

extension MeshFolder {
  static var errno: CInt { unsafe posix_errno().pointee }

  /// The error of the last system call.
  static func error(_ what: String, _ path: String) -> SyncError {
    let number = errno
    let code: SyncError.Code =
      number == ENOSPC || number == EDQUOT ? .noSpace : number == ENOENT ? .notFound : .unavailable
    return SyncError(code, "cannot \(what) \(path): \(unsafe String(cString: strerror(number)))")
  }

  static func open(_ path: String, _ flags: CInt) throws(SyncError) -> CInt {
    let file = unsafe posix_openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw error("open", path) }
    return file
  }

  /// Writes and syncs a new file.
  static func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
    let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    try write(bytes, to: file, path)
  }

  static func write(_ bytes: [UInt8], to file: CInt, _ path: String) throws(SyncError) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe CPOSIX.write(file, buffer.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw error("write", path) }
      start += count
    }
    guard fsync(file) == 0 else { throw error("sync", path) }
  }

  static func read(_ path: String, from offset: UInt64, count: Int) throws(SyncError) -> [UInt8] {
    let file = try open(path, O_RDONLY)
    defer { close(file) }
    return try read(file, path, from: offset, count: count)
  }

  /// Returns the bytes from `offset`: `count`, or fewer if the file ends.
  static func read(_ file: CInt, _ path: String, from offset: UInt64, count: Int) throws(SyncError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(count, 1 << 20))
    while bytes.count < count {
      let wanted = min(chunk.count, count - bytes.count)
      let got = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe pread(file, buffer.baseAddress, wanted, off_t(offset) + off_t(bytes.count))
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw error("read", path) }
      if got == 0 { break }
      bytes += chunk[..<got]
    }
    return bytes
  }

  static func move(_ path: String, to target: String) throws(SyncError) {
    guard unsafe rename(path, target) == 0 else { throw error("move", path) }
  }

  static func sync(folder: String) throws(SyncError) {
    let file = try open(folder, O_RDONLY | O_DIRECTORY)
    defer { close(file) }
    guard fsync(file) == 0 else { throw error("sync", folder) }
  }

  static func names(in folder: String) throws(SyncError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw error("list", folder)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// The exclusive lock of the folder, which ends with its process.
final class FolderLock: Sendable {
  private let file: CInt

  /// Returns nil if another handle has the lock.
  init?(_ folder: MeshFolder) throws(SyncError) {
    file = try MeshFolder.open(folder.path + "/lock", O_RDWR | O_CREAT)
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      return nil
    }
  }

  deinit { close(file) }
}
