internal import CPOSIX
internal import SyncKit

/// The names in one folder, sorted by their bytes, so that a walk in their order is in folder order.
struct Listing {
  /// All names, each followed by a NUL.
  private var bytes: [UInt8] = []
  private var items: [Item] = []
  private var next = 0

  /// A name with the kind that the listing reported.
  struct Item {
    /// The first eight bytes, which usually decide the order.
    fileprivate let prefix: UInt64
    fileprivate let start: UInt32
    fileprivate let count: UInt16
    /// Nil if the file system does not report the kind.
    let kind: FileFacts.Kind?
  }

  /// Reads all names of `folder`.
  init(of folder: Folder) throws(Errno) {
    // A separate descriptor, because a stream takes over both the descriptor and its position.
    let number = try retrying { unsafe posix_openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    guard let stream = unsafe fdopendir(number) else {
      let failure = Errno.current
      _ = close(number)
      throw failure
    }
    defer { unsafe closedir(stream) }
    while let entry = unsafe try Self.nextEntry(of: stream) { unsafe append(entry) }
    sort()
  }

  private static func nextEntry(of stream: OpaquePointer) throws(Errno) -> UnsafeMutablePointer<dirent>? {
    unsafe posix_errno().pointee = 0
    if let entry = unsafe readdir(stream) { return unsafe entry }
    let failure = Errno.current
    if failure.number != 0 { throw failure }
    return nil
  }

  private mutating func append(_ entry: UnsafeMutablePointer<dirent>) {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    let name = unsafe UnsafeRawPointer(entry) + offset
    let count = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
    let characters = unsafe UnsafeRawBufferPointer(start: name, count: count)
    guard unsafe !characters.elementsEqual(".".utf8), unsafe !characters.elementsEqual("..".utf8) else { return }
    let start = bytes.count
    unsafe bytes.append(contentsOf: characters)
    bytes.append(0)
    let prefix = unsafe characters.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * max(0, 8 - count))
    items.append(
      Item(
        prefix: prefix, start: UInt32(start), count: UInt16(count), kind: Self.kind(unsafe entry.pointee.d_type)))
  }

  private static func kind(_ type: UInt8) -> FileFacts.Kind? {
    // The types are those of `stat`, shifted.
    type == DT_UNKNOWN ? nil : FileFacts.Kind(mode: mode_t(type) << 12)
  }

  private mutating func sort() {
    unsafe bytes.withUnsafeBytes { bytes in
      items.sort { a, b in
        if a.prefix != b.prefix { return a.prefix < b.prefix }
        let order = unsafe memcmp(
          bytes.baseAddress! + Int(a.start), bytes.baseAddress! + Int(b.start), Int(min(a.count, b.count)))
        return order == 0 ? a.count < b.count : order < 0
      }
    }
  }

  /// Returns the next name in order; nil after the last.
  mutating func popFirst() -> Item? {
    guard next < items.count else { return nil }
    defer { next += 1 }
    return items[next]
  }

  /// Returns the bytes of a name.
  func name(_ item: Item) -> ArraySlice<UInt8> {
    bytes[Int(item.start)..<(Int(item.start) + Int(item.count))]
  }

  /// Returns the facts of `item` in `folder`, which must be the one that was listed.
  func facts(of item: Item, in folder: Folder) throws(Errno) -> FileFacts {
    try unsafe bytes.withUnsafeBufferPointer { bytes throws(Errno) in
      let name = unsafe UnsafeRawPointer(bytes.baseAddress! + Int(item.start))
      return try unsafe folder.facts(of: name.assumingMemoryBound(to: CChar.self))
    }
  }
}
