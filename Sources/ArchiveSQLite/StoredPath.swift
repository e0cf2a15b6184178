import SyncKit

/// How paths are written into the database: with NUL, which no path holds, in the place of the separator, so that the
/// order of the bytes is folder order.
enum StoredPath {
  private static let separator = UInt8(ascii: "/")

  static func bytes(of path: SyncPath) -> [UInt8] { path.bytes.map { $0 == separator ? 0 : $0 } }

  static func path(_ stored: UnsafeRawBufferPointer) -> SyncPath? {
    unsafe SyncPath(bytes: stored.map { $0 == 0 ? separator : $0 })
  }
}

/// The path that a walk through stored paths stands at, without an allocation for each.
struct StoredPathWalk {
  private var stored: [UInt8] = []
  /// The bytes of the path, as a `SyncPath` has them.
  private(set) var path: [UInt8] = []

  /// Goes to the next path, and says whether it comes after the one before.
  mutating func advance(to next: UnsafeRawBufferPointer) -> Bool {
    let isAscending = unsafe stored.withUnsafeBytes { unsafe $0.lexicographicallyPrecedes(next) }
    stored.removeAll(keepingCapacity: true)
    unsafe stored.append(contentsOf: next)
    path.removeAll(keepingCapacity: true)
    for byte in stored { path.append(byte == 0 ? UInt8(ascii: "/") : byte) }
    return isAscending
  }
}
