/// A message, table or file that does not have the format of a mesh. The whole of it is refused.
package struct FormatError: Error, Hashable, Sendable {
  /// The first mistake.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// The largest values that are read, so that no input takes more memory or time than its size justifies.
enum Bounds {
  static let path = 4_096
  static let writers = 4_096
  static let segments = 64
  static let versions = 64
  static let message = 65_535
  static let table = 1 << 30
  static let name = 255
  /// The largest content of a file in bytes, as everywhere in SyncKit.
  static let content: UInt64 = 1 << 40
}
