import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder of the program's own, closed with its last owner and inherited by no child.
final class StateFile: Sendable {
  let path: String
  let descriptor: Int32

  /// Opens `path` as `flags` say; a file that has to be created can be read by its owner only.
  init(_ path: String, _ flags: Int32) throws(SyncError) {
    self.path = path
    descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SyncError(stateFile: path, errno) }
  }

  deinit { close(descriptor) }

  /// Writes all bytes at the place that was reached.
  func write(_ bytes: [UInt8]) throws(SyncError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Self.write(descriptor, $0) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw SyncError(stateFile: path, errno) }
    }
  }

  /// The next bytes, at most `count`; none at the end.
  func read(atMost count: Int) throws(SyncError) -> [UInt8] {
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

  /// Returns when the file's bytes, or the folder's names, would survive a power cut. After a failure the file must be
  /// thrown away: a second call would succeed without having written anything.
  func sync() throws(SyncError) {
    guard fsync(descriptor) == 0 else { throw SyncError(stateFile: path, errno) }
  }

  /// Makes the names in a folder durable.
  static func syncFolder(_ path: String) throws(SyncError) {
    try StateFile(path, O_RDONLY | O_DIRECTORY).sync()
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
  /// What a system call that failed on one of the program's own files means.
  init(stateFile path: String, _ number: Int32) {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .noSpace
      case ENOENT: .notFound
      default: .unexpected
      }
    self.init(code, "\(printable(path.utf8)): \(unsafe String(cString: strerror(number)))")
  }
}
