/// A file or folder that is sent to a server.
public struct SentFile: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case file
    /// A folder that is to be created.
    case newFolder
    /// An existing folder that contains sent files; a server requires it in the list.
    case folder
  }

  public var name: [UInt8]
  public var kind: Kind
  public var size: Int64
  public var seconds: Int64
  public var nanoseconds: Int32
  public var isExecutable: Bool
  /// The MD5 of the content.
  public var hash: [UInt8]

  public init(
    name: [UInt8], kind: Kind, size: Int64 = 0, seconds: Int64, nanoseconds: Int32, isExecutable: Bool = false,
    hash: [UInt8] = []
  ) {
    self.name = name
    self.kind = kind
    self.size = size
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.isExecutable = isExecutable
    self.hash = hash
  }

  /// The entry as a received list would have it, for sorting.
  var listed: ListedFile { ListedFile(name: name, kind: kind == .file ? .file : .folder) }
}

/// Encodes the list of sent files (`send_file_entry` in `flist.c`).
enum FileListEncoder {
  static func list(_ files: [SentFile]) -> [UInt8] {
    var bytes: [UInt8] = []
    var former: SentFile?
    for file in files {
      write(file, after: former, to: &bytes)
      former = file
    }
    return bytes + [0]
  }

  private static func write(_ file: SentFile, after former: SentFile?, to bytes: inout [UInt8]) {
    let shared = min(255, former.map { zip($0.name, file.name).prefix { $0 == $1 }.count } ?? 0)
    let rest = file.name.dropFirst(shared)
    // Owner and group are always marked as unchanged, because they are not sent.
    var flags: UInt16 = 0x0018 | 0x0004
    if shared > 0 { flags |= 0x0020 }
    if rest.count > 255 { flags |= 0x0040 }
    if former?.seconds == file.seconds { flags |= 0x0080 }
    if former?.mode == file.mode { flags |= 0x0002 }
    if file.nanoseconds != 0 { flags |= 0x2000 }
    if file.kind != .file { flags |= 0x0100 }
    if file.kind == .folder { flags |= 0x0001 }
    bytes.append(short: flags)
    if shared > 0 { bytes.append(UInt8(shared)) }
    if rest.count > 255 { bytes.append(varint: Int32(rest.count)) } else { bytes.append(UInt8(rest.count)) }
    bytes += rest
    bytes.append(varlong: file.size, 3)
    if former?.seconds != file.seconds { bytes.append(varlong: file.seconds, 4) }
    if file.nanoseconds != 0 { bytes.append(varint: file.nanoseconds) }
    if former?.mode != file.mode { bytes.append(int: file.mode) }
    if file.kind == .file { bytes += file.hash }
  }
}

extension SentFile {
  /// The mode of a new file, before the umask of the remote account.
  fileprivate var mode: Int { kind == .file ? (isExecutable ? 0o100755 : 0o100644) : 0o040755 }
}
