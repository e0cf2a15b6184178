/// A request to an sftp server: version 3 of the protocol (draft-ietf-secsh-filexfer-02, section 6), and extensions of OpenSSH
/// (its `PROTOCOL` file, section 4). Paths are bytes; relative ones start in the account's home folder.
public enum SFTPRequest: Hashable, Sendable {
  /// Opens a file for reading.
  case open([UInt8])
  /// Creates a file for writing; refused if the name exists.
  case create([UInt8])
  /// Closes a file or a folder.
  case close(handle: [UInt8])
  /// Reads at most `count` bytes.
  case read(handle: [UInt8], offset: UInt64, count: UInt32)
  case write(handle: [UInt8], offset: UInt64, [UInt8])
  /// The attributes of a path; does not follow links.
  case stat([UInt8])
  /// The attributes of the file or folder that a path leads to.
  case statTarget([UInt8])
  /// The attributes of an open file.
  case statHandle([UInt8])
  /// Sets the permissions and the modification time, in seconds since 1970, of a file; nil leaves them.
  case setAttributes([UInt8], permissions: UInt32?, seconds: UInt32?)
  case openFolder([UInt8])
  /// Reads the next names of an open folder.
  case readFolder(handle: [UInt8])
  case remove([UInt8])
  case makeFolder([UInt8])
  /// Removes a folder; refused unless it is empty.
  case removeFolder([UInt8])
  /// Renames a file. Servers differ if the name exists, and some carry it out as link(2) and unlink(2), which loses a file that
  /// is renamed into place in between.
  case rename([UInt8], to: [UInt8])
  /// The target of a link; refused for anything else.
  case readLink([UInt8])
  /// Atomically moves a file or folder; replaces a file at the destination (rename(2)).
  case move([UInt8], to: [UInt8])
  /// Adds a second name to a file; refused if the name exists (link(2)).
  case link([UInt8], to: [UInt8])
  /// Makes the content of an open file durable.
  case synchronize(handle: [UInt8])
  /// The size and the free space of the file system that contains a path.
  case freeSpace([UInt8])

  /// The names of the extensions.
  public static let mover = "posix-rename@openssh.com"
  public static let linker = "hardlink@openssh.com"
  private static let synchronizer = "fsync@openssh.com"
  private static let statistics = "statvfs@openssh.com"

  /// The type, and the payload after the request id.
  private var parts: (type: UInt8, payload: [UInt8]) {
    switch self {
    // No attributes: the account's defaults apply.
    case .open(let path): (3, Self.string(path) + Self.number(0x01) + Self.number(0))
    // SSH_FXF_WRITE, CREAT and EXCL.
    case .create(let path): (3, Self.string(path) + Self.number(0x02 | 0x08 | 0x20) + Self.number(0))
    case .close(let handle): (4, Self.string(handle))
    case .read(let handle, let offset, let count):
      (5, Self.string(handle) + Self.long(offset) + Self.number(count))
    case .write(let handle, let offset, let bytes): (6, Self.string(handle) + Self.long(offset) + Self.string(bytes))
    case .stat(let path): (7, Self.string(path))
    case .statHandle(let handle): (8, Self.string(handle))
    case .setAttributes(let path, let permissions, let seconds):
      (9, Self.string(path) + Self.attributes(permissions: permissions, seconds: seconds))
    case .openFolder(let path): (11, Self.string(path))
    case .readFolder(let handle): (12, Self.string(handle))
    case .remove(let path): (13, Self.string(path))
    case .makeFolder(let path): (14, Self.string(path) + Self.number(0))
    case .removeFolder(let path): (15, Self.string(path))
    case .statTarget(let path): (17, Self.string(path))
    case .rename(let path, let target): (18, Self.string(path) + Self.string(target))
    case .readLink(let path): (19, Self.string(path))
    case .move(let path, let target): (200, Self.extended(Self.mover, path, target))
    case .link(let path, let target): (200, Self.extended(Self.linker, path, target))
    case .synchronize(let handle): (200, Self.extended(Self.synchronizer, handle))
    case .freeSpace(let path): (200, Self.extended(Self.statistics, path))
    }
  }

  /// The encoded request.
  func packet(_ id: UInt32) -> [UInt8] {
    let (type, payload) = parts
    return Self.packet(type, Self.number(id) + payload)
  }

  /// The first packet, with our protocol version.
  static var greeting: [UInt8] { packet(1, number(3)) }

  /// Returns true if a server may answer the request like this; it may refuse every request.
  func accepts(_ reply: SFTPReply) -> Bool {
    switch (self, reply) {
    case (_, .refused), (.open, .handle), (.create, .handle), (.openFolder, .handle), (.read, .data),
      (.stat, .attributes), (.statTarget, .attributes), (.statHandle, .attributes), (.readFolder, .names),
      (.readLink, .names), (.freeSpace, .extended):
      true
    case (.close, .done), (.write, .done), (.setAttributes, .done), (.remove, .done), (.makeFolder, .done),
      (.removeFolder, .done), (.rename, .done), (.move, .done), (.link, .done), (.synchronize, .done):
      true
    default: false
    }
  }

  // MARK: Encoding

  private static func packet(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    number(UInt32(payload.count + 1)) + [type] + payload
  }

  private static func extended(_ name: String, _ arguments: [UInt8]...) -> [UInt8] {
    arguments.reduce(string(Array(name.utf8))) { $0 + string($1) }
  }

  /// Attributes (section 5): the access time is set with the modification time.
  private static func attributes(permissions: UInt32?, seconds: UInt32?) -> [UInt8] {
    number((permissions == nil ? 0 : 0x04) | (seconds == nil ? 0 : 0x08)) + (permissions.map(number) ?? [])
      + (seconds.map { number($0) + number($0) } ?? [])
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count)) + bytes }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func long(_ value: UInt64) -> [UInt8] {
    number(UInt32(truncatingIfNeeded: value >> 32)) + number(UInt32(truncatingIfNeeded: value))
  }
}
