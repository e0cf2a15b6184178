internal import CPOSIX
internal import SyncKit

/// An open folder. All operations concern this very folder, even if it was moved meanwhile, and follow no link in it.
final class Folder: Sendable {
  private let descriptor: Descriptor
  /// See `CloudProgram`.
  private let isElsewhere: (@Sendable (UInt64) -> Bool)?

  private init(_ number: CInt, _ isElsewhere: (@Sendable (UInt64) -> Bool)?) {
    descriptor = Descriptor(number: number)
    self.isElsewhere = isElsewhere
  }

  private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// Opens the folder with this absolute path from a user: links in the path are followed, once.
  ///
  /// - Parameter isElsewhere: see `CloudProgram`; applies to everything that is opened in this folder.
  static func root(
    at path: String, isElsewhere: (@Sendable (UInt64) -> Bool)? = nil
  ) throws(Errno) -> Folder {
    Folder(try retrying { unsafe posix_openat(AT_FDCWD, path, flags, 0) }, isElsewhere)
  }

  /// Opens the folder called `name` in this one.
  func folder(_ name: FileName) throws(Errno) -> Folder {
    Folder(try retrying { unsafe posix_openat(number, name.characters, Self.flags | O_NOFOLLOW, 0) }, isElsewhere)
  }

  /// Opens the current parent folder.
  func parent() throws(Errno) -> Folder { try folder(FileName("..")) }

  /// The descriptor, for the system calls of effects.
  var number: CInt { descriptor.number }

  /// Opens the file called `name` for reading. Neither blocks nor follows a link; the caller must check that it is a regular
  /// file.
  func file(_ name: FileName) throws(Errno) -> Descriptor {
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    return Descriptor(number: try retrying { unsafe posix_openat(number, name.characters, flags, 0) })
  }

  /// Returns the facts of the item called `name`; those of the link itself, not of its target.
  func facts(of name: FileName) throws(Errno) -> FileFacts {
    try unsafe name.characters.withUnsafeBufferPointer { characters throws(Errno) in
      try unsafe facts(of: characters.baseAddress!)
    }
  }

  /// The same for a name in the caller's buffer, which saves a walk one array per file.
  func facts(of name: UnsafePointer<CChar>) throws(Errno) -> FileFacts {
    var facts = stat()
    try once { unsafe fstatat(number, name, &facts, AT_SYMLINK_NOFOLLOW) }
    return FileFacts(facts, isElsewhere)
  }

  /// Returns the facts of this folder.
  func facts() throws(Errno) -> FileFacts { try descriptor.facts(isElsewhere) }

  /// Throws `.elsewhere` if the names in this folder are only in a cloud. Only Apple's systems report that, so a tree without a
  /// `CloudProgram` on another one saves the call.
  func requireNames() throws(Errno) {
    #if !canImport(Darwin)
      guard isElsewhere != nil else { return }
    #endif
    if try facts().isDataless { throw .elsewhere }
  }

  /// Returns the facts of a file that was opened in this folder.
  func facts(of file: borrowing Descriptor) throws(Errno) -> FileFacts { try file.facts(isElsewhere) }

  /// Makes the names in this folder durable.
  func sync() throws(Errno) { try descriptor.sync() }

  /// Returns the target of the link called `name`, as bytes.
  func target(ofLink name: FileName) throws(Errno) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = try retrying { unsafe readlinkat(number, name.characters, &buffer, buffer.count) }
    return buffer.prefix(count).map { UInt8(bitPattern: $0) }
  }

  /// The maximum length of a name here, in bytes.
  var maximumNameLength: Int {
    let limit = fpathconf(number, CInt(_PC_NAME_MAX))
    return limit > 0 ? limit : 255
  }
}
