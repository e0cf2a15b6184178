import SyncKit

/// The encoding of paths in the database: NUL, which no path contains, replaces the separator, so that byte order is folder
/// order.
enum StoredPath {
  private static let separator = UInt8(ascii: "/")

  static func bytes(of path: SyncPath) -> [UInt8] { path.bytes.map { $0 == separator ? 0 : $0 } }

  static func path(_ stored: UnsafeRawBufferPointer) -> SyncPath? {
    unsafe SyncPath(bytes: stored.map { $0 == 0 ? separator : $0 })
  }
}

/// The current path of a walk through stored paths, without an allocation for each.
struct StoredPathWalk {
  private var stored: [UInt8] = []
  /// The bytes of the path, as in `SyncPath`.
  private(set) var path: [UInt8] = []

  /// Advances to the next path; returns true if it sorts after the previous one.
  mutating func advance(to next: UnsafeRawBufferPointer) -> Bool {
    let isAscending = unsafe stored.withUnsafeBytes { unsafe $0.lexicographicallyPrecedes(next) }
    stored.removeAll(keepingCapacity: true)
    unsafe stored.append(contentsOf: next)
    path.removeAll(keepingCapacity: true)
    for byte in stored { path.append(byte == 0 ? UInt8(ascii: "/") : byte) }
    return isAscending
  }
}
