package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of a store that is a folder.
package struct FolderFiles: LocalFiles {
  /// The absolute path of the folder.
  package let root: String

  /// The files below a folder, which need not exist.
  package init(root: String) { self.root = root }

  package func list() -> StoreListing { StoreListing(root: root) }

  package func look<Value>(_ body: ((String) -> FileStamp?) -> Value) -> Value? {
    StoreListing.look(below: root, body)
  }

  package func read(_ path: String) throws(SyncError) -> (stamp: FileStamp, bytes: [UInt8])? {
    // A link could lead out of the store.
    let descriptor = unsafe open("\(root)/\(path)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
      throw SyncError(.pathFailed, "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard let stamp = StoreListing.stamp(of: descriptor) else { return nil }
    do { return (stamp, try LocalFile.read(descriptor)) } catch {
      throw SyncError(.pathFailed, "cannot read \(path): \(error.message)")
    }
  }

  package func editorLock(on path: SyncPath) -> String? {
    EmacsLock(ofFile: "\(root)/\(String(decoding: path.bytes, as: UTF8.self))")?.owner
  }

  package func append(_ text: (_ present: [UInt8]) -> [UInt8], to path: SyncPath) throws(SyncError) {
    try GrowingFile(root: root, path: path).append(text)
  }
}
