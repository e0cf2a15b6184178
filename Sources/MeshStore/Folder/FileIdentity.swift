internal import CPOSIX
internal import SyncKit

/// What distinguishes a file from a copy of it, also from one that was restored under its name: device, inode and time of birth.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  /// Nanoseconds since 1970; 0 if the file system does not know.
  var born: UInt64

  init(device: UInt64, inode: UInt64, born: UInt64) {
    self.device = device
    self.inode = inode
    self.born = born
  }

  init(of file: CInt, _ path: String) throws(SyncError) {
    var facts = stat()
    guard unsafe fstat(file, &facts) == 0 else { throw MeshFolder.error("stat", path) }
    self.init(facts, born: posix_birth_time(file))
  }

  /// Returns nil if the file does not exist or cannot be opened.
  init?(of path: String) {
    guard let file = try? MeshFolder.open(path, O_RDONLY) else { return nil }
    defer { close(file) }
    guard let identity = try? FileIdentity(of: file, path) else { return nil }
    self = identity
  }

  private init(_ facts: stat, born: UInt64) {
    self.init(device: UInt64(truncatingIfNeeded: facts.st_dev), inode: UInt64(facts.st_ino), born: born)
  }
}
