import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of the store while another process may be syncing it: text is appended in place, as an editor does, so that no version
/// of another writer is replaced.
struct GrowingFile {
  private let file: String
  private let name: SyncPath

  /// - Parameters:
  ///   - root: the folder of the store.
  ///   - path: the file in it.
  init(root: String, path: SyncPath) {
    file = "\(root)/\(String(decoding: path.bytes, as: UTF8.self))"
    name = path
  }

  /// Appends the text, whole. If the file was replaced in the meantime, the text goes into the new one.
  func append(_ text: (_ present: [UInt8]) -> [UInt8]) throws(SyncError) {
    if let slash = file.lastIndex(of: "/") { try LocalFile.makeFolder(String(file[..<slash])) }
    for _ in 0..<100 { if try appendOnce(text) { return } }
    throw SyncError(
      .changedMeanwhile, "cannot append to \(name): another program keeps replacing the file. Try again")
  }

  /// Returns false if another file has the name by now; what was written is taken back then.
  private func appendOnce(_ text: (_ present: [UInt8]) -> [UInt8]) throws(SyncError) -> Bool {
    let descriptor = unsafe open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure }
    defer { close(descriptor) }
    var before = stat()
    guard unsafe fstat(descriptor, &before) == 0 else { throw failure }
    // One call appends all of it, wherever the end of the file is by then.
    let bytes = text(try content(of: descriptor, Int(before.st_size)))
    let count = unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else {
      let error = failure
      if count > 0 { ftruncate(descriptor, before.st_size) }
      throw error
    }
    var now = stat()
    if unsafe stat(file, &now) == 0, now.st_ino == before.st_ino, now.st_dev == before.st_dev { return true }
    var after = stat()
    if unsafe fstat(descriptor, &after) == 0, after.st_size == before.st_size + off_t(count) {
      ftruncate(descriptor, before.st_size)
    }
    return false
  }

  /// Returns the content up to a size, which shows how lines end; less of it if the file was cut in the meantime.
  private func content(of descriptor: CInt, _ size: Int) throws(SyncError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    var end = 0
    while end < size {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress?.advanced(by: end), size - end, off_t(end))
      }
      guard count >= 0 else { throw failure }
      if count == 0 { break }
      end += count
    }
    return Array(bytes[..<end])
  }

  private var failure: SyncError {
    SyncError(.pathFailed, "cannot append to \(name): \(unsafe String(cString: strerror(errno)))")
  }
}
