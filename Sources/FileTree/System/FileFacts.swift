internal import CPOSIX
internal import SyncKit

/// The result of `stat` for a file or folder.
struct FileFacts: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  /// The permissions.
  let mode: mode_t
  let kind: Kind
  /// The modification time in nanoseconds since 1970, which any program can set.
  let modified: Int64
  /// The change time of content or metadata, which only the kernel sets.
  let changed: Int64
  /// True if the content of the file, or the listing of the folder, is only in a cloud. The system reports it only on Apple's
  /// systems.
  let isDataless: Bool

  enum Kind: Hashable, Sendable {
    case file
    case folder
    /// Another kind, with its name for messages: "a symbolic link".
    case special(String)
  }

  /// - Parameter isElsewhere: decides by the inode if the content is only in a cloud; nil to ask the system.
  init(_ stat: stat, _ isElsewhere: (@Sendable (UInt64) -> Bool)? = nil) {
    device = UInt64(truncatingIfNeeded: stat.st_dev)
    inode = UInt64(stat.st_ino)
    size = Int(stat.st_size)
    mode = stat.st_mode & 0o7777
    kind = Kind(mode: stat.st_mode)
    #if canImport(Darwin)
      modified = Self.nanoseconds(stat.st_mtimespec)
      changed = Self.nanoseconds(stat.st_ctimespec)
      // SF_DATALESS in <sys/stat.h>.
      isDataless = isElsewhere?(UInt64(stat.st_ino)) ?? (stat.st_flags & 0x4000_0000 != 0)
    #else
      modified = Self.nanoseconds(stat.st_mtim)
      changed = Self.nanoseconds(stat.st_ctim)
      isDataless = isElsewhere?(UInt64(stat.st_ino)) ?? false
    #endif
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (time.tv_sec < 0 ? .min : .max) : whole &+ Int64(time.tv_nsec)
  }

  /// Returns true if both are of one file, whatever its names.
  func isSameFile(as other: FileFacts) -> Bool { device == other.device && inode == other.inode }

  /// Returns true if both are of one file without a write in between. Moving a file also updates `changed`, so it is not
  /// compared.
  func sameContent(as other: FileFacts) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }
}

extension FileFacts.Kind {
  init(mode: mode_t) {
    self =
      switch mode & mode_t(S_IFMT) {
      case mode_t(S_IFREG): .file
      case mode_t(S_IFDIR): .folder
      case mode_t(S_IFLNK): .special("a symbolic link")
      case mode_t(S_IFIFO): .special("a pipe")
      case mode_t(S_IFSOCK): .special("a socket")
      default: .special("a device")
      }
  }
}

extension FileFacts {
  /// The size of a revision in bytes.
  static let revisionSize = 32

  /// Writes the revision of a file: inode, size and both times. A buffer saves a walk one array per file.
  func write(revisionInto buffer: inout [UInt8]) {
    unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: inode.littleEndian, toByteOffset: 0, as: UInt64.self)
      unsafe bytes.storeBytes(of: UInt64(size).littleEndian, toByteOffset: 8, as: UInt64.self)
      unsafe bytes.storeBytes(of: UInt64(bitPattern: modified).littleEndian, toByteOffset: 16, as: UInt64.self)
      unsafe bytes.storeBytes(of: UInt64(bitPattern: changed).littleEndian, toByteOffset: 24, as: UInt64.self)
    }
  }

  /// Returns true if the revision is that of the same file with the same size and modification time. Fetching a content from a
  /// cloud, or dropping it, changes nothing else but `changed`.
  func rests(at revision: Revision) -> Bool {
    revision.bytes.count == Self.revisionSize && revision.bytes.prefix(24).elementsEqual(self.revision.bytes.prefix(24))
  }

  var revision: Revision {
    var bytes = [UInt8](repeating: 0, count: Self.revisionSize)
    write(revisionInto: &bytes)
    return Revision(bytes: bytes)
  }

  /// Returns the entry of the file with these facts.
  func entry(at path: SyncPath, digest: Digest? = nil, firmness: Firmness) -> Entry {
    Entry(
      path: path, revision: revision, isFirm: firmness.covers(self), digest: digest, size: size,
      modified: Timestamp(nanoseconds: modified))
  }
}
