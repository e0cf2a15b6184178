import CPOSIX
import MeshStore
import SyncKit

/// A segment that the helper fetches into a folder of its own.
struct FetchedFile {
  let folder: String
  let name: SegmentName

  private var path: String { "\(folder)/\(name.root)" }

  /// Creates the folder.
  func prepare() throws(SyncError) {
    guard unsafe mkdir(folder, 0o700) == 0 || posixError == EEXIST else { throw error("create", folder) }
  }

  /// Returns the bytes, and removes the file.
  func take() throws(SyncError) -> [UInt8] {
    let file = unsafe posix_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
    guard file >= 0 else { throw error("open", path) }
    defer {
      close(file)
      unsafe unlink(path)
    }
    var bytes = [UInt8](repeating: 0, count: Int(name.length))
    var start = 0
    while start < bytes.count {
      let (wanted, offset) = (bytes.count - start, start)
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(file, buffer.baseAddress?.advanced(by: offset), wanted)
      }
      guard count > 0 else { throw error("read", path) }
      start += count
    }
    return bytes
  }

  private var posixError: CInt { unsafe posix_errno().pointee }

  private func error(_ what: String, _ path: String) -> SyncError {
    SyncError(.unavailable, "cannot \(what) \(path): \(unsafe String(cString: strerror(posixError)))")
  }
}
