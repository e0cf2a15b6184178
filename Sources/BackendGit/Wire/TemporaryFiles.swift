internal import SyncKit

import class Foundation.FileHandle
import class Foundation.FileManager
import struct Foundation.UUID

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files and folders in the folder for temporary files, which other users of this machine share. They get their permissions when they
/// are created: another user could open a file that is protected later, and would keep it open.
enum TemporaryFiles {
  /// Returns a file that has no name, so that it ends with its last owner, and that only its owner can open.
  static func unnamedFile() throws(SyncError) -> FileHandle {
    let path = FileManager.default.temporaryDirectory.path + "/syncd-\(UUID().uuidString)"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("the file \(path)", errno) }
    unsafe unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Makes a folder that only its owner can open; its name must be unpredictable. A folder that this user has already made is accepted.
  static func makeFolder(_ path: String) throws(SyncError) {
    guard unsafe mkdir(path, 0o700) != 0 else { return }
    let number = errno
    var facts = stat()
    guard number == EEXIST, unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR,
      facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0
    else { throw failure("the folder \(path)", number) }
  }

  private static func failure(_ what: String, _ number: Int32) -> SyncError {
    SyncError(.noSpace, "cannot create \(what): \(unsafe String(cString: strerror(number)))")
  }
}
