internal import CPOSIX
import OrgKit
import SyncDaemon
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder on the command line, outside of store and remotes, with its files at any depth, but without empty folders. Names
/// are bytes.
struct LocalFolder {
  private(set) var files: OrgMerge.Folder = [:]
  private var modes: [OrgMerge.Path: mode_t] = [:]
  /// The targets of its links.
  private var links: OrgMerge.Folder = [:]

  /// Reads the folder at `path`; throws if anything in it cannot be read, or is neither file, folder nor link.
  init(_ path: String) throws(SyncError) {
    try read(Array(path.utf8), below: nil)
  }

  /// The result of a merge: `files` with their permissions, or those that one side changed, and the links.
  init(
    _ files: OrgMerge.Folder, madeOf base: LocalFolder, _ ours: LocalFolder, _ theirs: LocalFolder
  ) throws(SyncError) {
    self.files = files
    for path in files.keys { modes[path] = Self.merged(base.modes[path], ours.modes[path], theirs.modes[path]) }
    for path in Set(ours.links.keys).union(theirs.links.keys) {
      let (old, mine, yours) = (base.links[path], ours.links[path], theirs.links[path])
      let kept = mine == old ? yours : mine
      guard mine == yours || mine == old || yours == old, kept == nil || files[path] == nil else {
        throw Self.error(path, "is a symbolic link that both sides changed; it cannot be merged")
      }
      links[path] = kept
    }
  }

  /// Returns the value that one side changed; ours if both did, and the remaining one if a side has none.
  private static func merged<Value: Equatable>(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
    guard let ours, let theirs else { return ours ?? theirs ?? base }
    return ours == base ? theirs : ours
  }

  /// Writes everything into the folder at `path`, which must be empty or missing.
  func write(to path: String) throws(SyncError) {
    let root = Array(path.utf8)
    do throws(SyncError) {
      guard try Self.names(in: root).isEmpty else { throw SyncError(.pathFailed, "\(path) is not empty") }
    } catch  where error.code == .notFound { try LocalFile.makeFolder(path) }
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      try Self.makeFolders(above: name, in: root)
      try write(bytes, to: name, in: root)
    }
    for (name, target) in links.sorted(by: { $0.key < $1.key }) {
      try Self.makeFolders(above: name, in: root)
      guard unsafe symlink(Self.characters(target), Self.characters(root, name)) == 0 else {
        throw Self.failure(name, "cannot be created")
      }
    }
  }

  /// Returns a path that people can read and type.
  static func text(_ path: OrgMerge.Path) -> String { SyncPath(bytes: path.bytes)?.description ?? path.description }
}

// Reading

extension LocalFolder {
  private mutating func read(_ folder: [UInt8], below path: OrgMerge.Path?) throws(SyncError) {
    for name in try Self.names(in: folder) {
      let inner = path.map { OrgMerge.Path($0.bytes + [Self.slash] + name) } ?? OrgMerge.Path(name)
      let place = folder + [Self.slash] + name
      var facts = stat()
      guard unsafe lstat(Self.characters(place), &facts) == 0 else { throw Self.failure(inner, "cannot be read") }
      switch facts.st_mode & S_IFMT {
      case S_IFDIR: try read(place, below: inner)
      case S_IFREG:
        files[inner] = try Self.content(of: place, inner)
        modes[inner] = facts.st_mode & 0o777
      case S_IFLNK: links[inner] = try Self.target(of: place, inner)
      default: throw Self.error(inner, "is not a file, folder or symbolic link; it cannot be merged")
      }
    }
  }

  /// Returns the names in a folder, sorted; throws `.notFound` if it does not exist.
  private static func names(in folder: [UInt8]) throws(SyncError) -> [[UInt8]] {
    guard let stream = unsafe opendir(characters(folder)) else {
      let code: SyncError.Code = unsafe posix_errno().pointee == ENOENT ? .notFound : .pathFailed
      throw SyncError(code, "cannot read the folder \(text(OrgMerge.Path(folder))): \(systemMessage)")
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      unsafe posix_errno().pointee = 0
      guard let entry = unsafe readdir(stream) else { break }
      let start = unsafe UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
      let count = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
      let name = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    guard unsafe posix_errno().pointee == 0 else { throw failure(OrgMerge.Path(folder), "cannot be read") }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func content(of place: [UInt8], _ path: OrgMerge.Path) throws(SyncError) -> [UInt8] {
    let descriptor = unsafe posix_openat(AT_FDCWD, characters(place), O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw failure(path, "cannot be read") }
    defer { close(descriptor) }
    do { return try LocalFile.read(descriptor) } catch { throw failure(path, "cannot be read") }
  }

  private static func target(of place: [UInt8], _ path: OrgMerge.Path) throws(SyncError) -> [UInt8] {
    var target = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(characters(place), &target, target.count)
    guard count >= 0 else { throw failure(path, "cannot be read") }
    return target.prefix(count).map { UInt8(bitPattern: $0) }
  }
}

// Writing

extension LocalFolder {
  private func write(_ bytes: [UInt8], to name: OrgMerge.Path, in root: [UInt8]) throws(SyncError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = unsafe posix_openat(AT_FDCWD, Self.characters(root, name), flags, 0o666)
    guard descriptor >= 0 else { throw Self.failure(name, "cannot be written") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Self.failure(name, "cannot be written") }
      rest = rest.dropFirst(count)
    }
    if let mode = modes[name], fchmod(descriptor, mode) != 0 { throw Self.failure(name, "cannot be written") }
  }

  private static func makeFolders(above name: OrgMerge.Path, in root: [UInt8]) throws(SyncError) {
    for index in name.bytes.indices where name.bytes[index] == slash {
      let folder = OrgMerge.Path(name.bytes[..<index])
      guard unsafe mkdir(characters(root, folder), 0o777) == 0 || posix_errno().pointee == EEXIST else {
        throw failure(folder, "cannot be created")
      }
    }
  }
}

// The system

extension LocalFolder {
  private static let slash = UInt8(ascii: "/")

  private static func characters(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

  private static func characters(_ root: [UInt8], _ path: OrgMerge.Path) -> [CChar] {
    characters(root + [slash] + path.bytes)
  }

  private static var systemMessage: String { unsafe String(cString: strerror(posix_errno().pointee)) }

  private static func failure(_ path: OrgMerge.Path, _ what: String) -> SyncError {
    error(path, "\(what): \(systemMessage)")
  }

  private static func error(_ path: OrgMerge.Path, _ what: String) -> SyncError {
    SyncError(.pathFailed, "\(text(path)) \(what)")
  }
}
