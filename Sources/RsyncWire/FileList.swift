/// A file, folder or link in a server's list.
public struct ListedFile: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case file, folder, link
    /// A pipe, socket or device.
    case special
  }

  /// The name relative to the root of the transfer; `.` is the root itself. It never leads out of the root.
  public var name: [UInt8]
  public var kind: Kind
  public var size: Int64
  public var seconds: Int64
  public var nanoseconds: Int32
  /// True if it is executable.
  public var isExecutable: Bool
  /// The MD5 of the content, if hashes were requested; nil if the server could not read the file.
  public var hash: [UInt8]?

  public init(
    name: [UInt8], kind: Kind, size: Int64 = 0, seconds: Int64 = 0, nanoseconds: Int32 = 0, isExecutable: Bool = false,
    hash: [UInt8]? = nil
  ) {
    self.name = name
    self.kind = kind
    self.size = size
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.isExecutable = isExecutable
    self.hash = hash
  }
}

/// The file list of an exchange. The protocol identifies a file by its index in the order that both sides sort by.
public struct FileList: Sendable {
  /// The files in that order; a name that was listed twice keeps both indices.
  public let files: [ListedFile]
  /// True if the server could not read parts, so that a missing file may exist.
  public let hasErrors: Bool

  init(_ files: [ListedFile], hasErrors: Bool) {
    self.files = files.map { ($0, FileOrder.key(of: $0)) }.enumerated()
      .sorted { FileOrder.compare($0.element.1, $1.element.1, $0.offset, $1.offset) }.map(\.element.0)
    self.hasErrors = hasErrors
  }
}

/// The order of a list: in each folder first everything except folders, then the folders, each with its content; names by
/// bytes, those of folders with a trailing slash; the root comes first (`f_name_cmp` in `flist.c`).
enum FileOrder {
  /// Returns bytes that sort like the names.
  static func key(of file: ListedFile) -> [UInt8] {
    guard file.name != [0x2E] else { return [] }
    var key: [UInt8] = []
    key.reserveCapacity(file.name.count + 8)
    var rest = file.name[...]
    while let slash = rest.firstIndex(of: 0x2F) {
      key.append(1)
      key += rest[...slash]
      rest = rest[(slash + 1)...]
    }
    key.append(file.kind == .folder ? 1 : 0)
    key += rest
    if file.kind == .folder { key.append(0x2F) }
    return key
  }

  static func compare(_ a: [UInt8], _ b: [UInt8], _ first: Int, _ second: Int) -> Bool {
    if a.lexicographicallyPrecedes(b) { return true }
    return a == b && first < second
  }
}
