import CPOSIX
import ItemIndex
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The Org files below a folder with their stamps: without hidden ones, links, and files in folders with a dot in their names.
extension StoreListing {
  /// Lists the files below a folder.
  package init(root: String) {
    self.init(at: Self.now)
    var pending = [""]
    while let folder = pending.popLast() { list(folder, below: root, &pending) }
  }

  /// The listing for an index.
  var files: FileListing {
    FileListing(stamps, folders: folders, areFilesCovered: areFilesCovered, isWhole: unread.isEmpty, at: time)
  }

  /// Calls `body` with a function that returns the stamp of a file or folder below a folder, without reading folders. Returns nil
  /// if the folder does not exist.
  static func look<Value>(below root: String, _ body: ((String) -> FileStamp?) -> Value) -> Value? {
    let folder = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    return body { path in
      var facts = stat()
      let found =
        path.isEmpty ? unsafe fstat(folder, &facts) : unsafe fstatat(folder, path, &facts, AT_SYMLINK_NOFOLLOW)
      return found == 0 ? stamp(facts) : nil
    }
  }

  /// The present time in nanoseconds since 1970.
  static var now: Int64 { Runtime.real.now().nanoseconds }

  /// Returns the stamp of an open file; nil if it is not a regular file.
  static func stamp(of descriptor: Int32) -> FileStamp? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return stamp(facts)
  }

  private mutating func list(_ folder: String, below root: String, _ pending: inout [String]) {
    guard let stream = unsafe opendir(folder.isEmpty ? root : "\(root)/\(folder)") else {
      // A folder can be removed while its parent is read, and the store need not exist.
      if ![ENOENT, ENOTDIR].contains(errno) { unread[folder] = unsafe String(cString: strerror(errno)) }
      return
    }
    defer { unsafe closedir(stream) }
    let descriptor = unsafe dirfd(stream)
    var facts = stat()
    if folder.isEmpty, unsafe fstat(descriptor, &facts) == 0 { folders[""] = Self.stamp(facts) }
    while let entry = unsafe readdir(stream) {
      let name = unsafe Self.name(entry)
      guard !name.hasPrefix(".") else { continue }
      let isOrg = name.hasSuffix(".org")
      guard isOrg || !name.contains(".") else { continue }
      guard unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      switch facts.st_mode & S_IFMT {
      case S_IFREG where isOrg: stamps[path] = Self.stamp(facts)
      case S_IFDIR where !isOrg:
        folders[path] = Self.stamp(facts)
        pending.append(path)
      default: break
      }
    }
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    return unsafe String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
  }

  private static func stamp(_ facts: stat) -> FileStamp {
    var (facts, modified, changed) = (facts, Int64(0), Int64(0))
    unsafe posix_change_times(&facts, &modified, &changed)
    return FileStamp(
      size: Int64(facts.st_size), modified: modified, changed: changed, inode: Int64(truncatingIfNeeded: facts.st_ino))
  }
}
