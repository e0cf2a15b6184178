/// Decodes the list that a server sends, entry by entry, and rejects every name that is not inside its root
/// (`recv_file_entry` in `flist.c`).
struct FileListDecoder {
  private let hasHashes: Bool
  private let limits: RsyncLimits
  private var former = Former()
  private var nameBytes = 0
  private var count = 0

  /// The fields that an entry can omit if they equal those of the previous entry.
  private struct Former {
    var name: [UInt8] = []
    var seconds: Int64 = 0
    var mode: Int32 = 0
  }

  enum Item {
    case file(ListedFile)
    case end(hasErrors: Bool)
  }

  private enum Flag {
    static let sameMode: UInt16 = 0x0002
    static let extended: UInt16 = 0x0004
    static let sameName: UInt16 = 0x0020
    static let longName: UInt16 = 0x0040
    static let sameTime: UInt16 = 0x0080
    static let endWithError: UInt16 = 0x1000
    static let nanoseconds: UInt16 = 0x2000
  }

  init(hasHashes: Bool, _ limits: RsyncLimits) {
    self.hasHashes = hasHashes
    self.limits = limits
  }

  /// Decodes the next entry, or the end. An incomplete entry leaves no state behind.
  mutating func next(_ queue: inout ByteQueue) throws(RsyncError) -> Item {
    var flags = UInt16(try queue.byte())
    if flags & Flag.extended != 0 { flags |= UInt16(try queue.byte()) << 8 }
    if flags == 0 { return .end(hasErrors: false) }
    // Only an extended flags word can hold the bit; the bytes 04 10 end a list with errors.
    if flags == Flag.extended | Flag.endWithError { return .end(hasErrors: try queue.varint() != 0) }
    let name = try name(flags, &queue)
    var next = Former(name: name, seconds: former.seconds, mode: former.mode)
    let size = try queue.varlong(3)
    guard size >= 0 else { throw .violation(.negativeSize) }
    if flags & Flag.sameTime == 0 { next.seconds = try queue.varlong(4) }
    let nanoseconds = flags & Flag.nanoseconds != 0 ? try queue.varint() : 0
    guard (0..<1_000_000_000).contains(nanoseconds) else { throw .violation(.nanoseconds) }
    if flags & Flag.sameMode == 0 { next.mode = try queue.int() }
    let kind = try Self.kind(of: next.mode)
    guard name != [0x2E] || kind == .folder else { throw .violation(.fileMode) }
    if kind == .link { try skipTarget(&queue) }
    let hash = hasHashes && kind == .file ? Array(try queue.dequeue(16)) : nil
    try store(next)
    return .file(
      ListedFile(
        name: name, kind: kind, size: size, seconds: next.seconds, nanoseconds: nanoseconds,
        isExecutable: next.mode & 0o111 != 0, hash: hash.flatMap { $0.allSatisfy { $0 == 0 } ? nil : $0 }))
  }

  private mutating func store(_ next: Former) throws(RsyncError) {
    former = next
    count += 1
    nameBytes += next.name.count
    guard count <= limits.entries, nameBytes <= limits.names else { throw .violation(.listLimit) }
  }

  // MARK: Names

  static let longestName = 4_095
  static let longestPart = 255

  private func name(_ flags: UInt16, _ queue: inout ByteQueue) throws(RsyncError) -> [UInt8] {
    let shared = flags & Flag.sameName != 0 ? Int(try queue.byte()) : 0
    let rest = flags & Flag.longName != 0 ? Int(try queue.varint()) : Int(try queue.byte())
    guard shared <= former.name.count, rest >= 0, shared + rest <= Self.longestName else {
      throw .violation(.nameLength)
    }
    let name = former.name[..<shared] + (try queue.dequeue(rest))
    guard Self.isSafe(name) else { throw .violation(.unsafeName) }
    return Array(name)
  }

  /// Returns true if a name is inside the root, or the root itself.
  static func isSafe(_ name: ArraySlice<UInt8>) -> Bool {
    if name.elementsEqual([0x2E]) { return true }
    return name.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy { part in
      (1...longestPart).contains(part.count) && !part.contains(0) && !part.elementsEqual([0x2E])
        && !part.elementsEqual([0x2E, 0x2E])
    }
  }

  // MARK: Kinds

  private static func kind(of mode: Int32) throws(RsyncError) -> ListedFile.Kind {
    switch mode & 0o170000 {
    case 0o100000: .file
    case 0o040000: .folder
    case 0o120000: .link
    case 0o010000, 0o020000, 0o060000, 0o140000: .special
    default: throw .violation(.fileMode)
    }
  }

  /// Skips the target of a link, which syncd does not use.
  private func skipTarget(_ queue: inout ByteQueue) throws(RsyncError) {
    let length = Int(try queue.varint())
    guard (1...Self.longestName).contains(length) else { throw .violation(.linkTarget) }
    guard !(try queue.dequeue(length)).contains(0) else { throw .violation(.linkTarget) }
  }
}
