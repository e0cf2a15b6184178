internal import CPOSIX
internal import SyncKit

/// An open folder. Whatever is asked of it concerns this very folder, wherever it may have been moved meanwhile, and no
/// link in it is followed.
final class Folder: Sendable {
  private let descriptor: Descriptor

  private init(_ number: CInt) { descriptor = Descriptor(number: number) }

  private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  /// The folder with this absolute path, which a person has named: links on the way and at its end are followed, once.
  static func root(at path: String) throws(Errno) -> Folder {
    Folder(try retrying { unsafe posix_openat(AT_FDCWD, path, flags, 0) })
  }

  /// The folder called `name` in this one.
  func folder(_ name: FileName) throws(Errno) -> Folder {
    Folder(try retrying { unsafe posix_openat(number, name.characters, Self.flags | O_NOFOLLOW, 0) })
  }

  /// The folder that holds this one now.
  func parent() throws(Errno) -> Folder { try folder(FileName("..")) }

  /// The descriptor, for the system calls that effects are made of.
  var number: CInt { descriptor.number }

  /// The file called `name`, open for reading. Opening neither waits nor follows; the caller makes sure that it is one.
  func file(_ name: FileName) throws(Errno) -> Descriptor {
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    return Descriptor(number: try retrying { unsafe posix_openat(number, name.characters, flags, 0) })
  }

  /// What there is to know of what is called `name`, a link itself and not where it points.
  func facts(of name: FileName) throws(Errno) -> FileFacts {
    try unsafe name.characters.withUnsafeBufferPointer { characters throws(Errno) in
      try unsafe facts(of: characters.baseAddress!)
    }
  }

  /// The same for a name in a buffer of the caller, which saves a walk an array per file.
  func facts(of name: UnsafePointer<CChar>) throws(Errno) -> FileFacts {
    var facts = stat()
    try once { unsafe fstatat(number, name, &facts, AT_SYMLINK_NOFOLLOW) }
    return FileFacts(facts)
  }

  /// What there is to know of this folder.
  func facts() throws(Errno) -> FileFacts { try descriptor.facts() }

  /// Makes the names in this folder durable.
  func sync() throws(Errno) { try descriptor.sync() }

  /// Where the link called `name` points, as bytes.
  func target(ofLink name: FileName) throws(Errno) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = try retrying { unsafe readlinkat(number, name.characters, &buffer, buffer.count) }
    return buffer.prefix(count).map { UInt8(bitPattern: $0) }
  }

  /// How many bytes a name may have here.
  var maximumNameLength: Int {
    let limit = fpathconf(number, CInt(_PC_NAME_MAX))
    return limit > 0 ? limit : 255
  }
}
