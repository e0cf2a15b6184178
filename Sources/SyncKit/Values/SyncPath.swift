/// The path of a file in a replica: relative, and always valid.
///
/// It consists of bytes, because names are bytes to file systems: two paths are equal only if their bytes are, whatever
/// Unicode says. It is never empty or absolute, and no part of it is empty, `.` or `..` or contains a NUL.
///
/// Paths sort in *folder order*: a separator sorts before every other byte, so that everything inside a folder is
/// contiguous, as in a walk over sorted names.
public struct SyncPath: Hashable, Sendable {
  /// The bytes of the path, parts separated by `/`.
  public let bytes: [UInt8]

  package static let separator = UInt8(ascii: "/")

  /// Creates the path with these bytes; nil if they are not a valid path inside a replica.
  public init?(bytes: [UInt8]) {
    guard Self.isValid(bytes) else { return nil }
    self.bytes = bytes
  }

  /// Creates the path with the UTF-8 bytes of `text`; nil if they are not a valid path inside a replica.
  public init?(_ text: String) {
    self.init(bytes: Array(text.utf8))
  }

  /// The path with these bytes, which the caller knows to be valid.
  package init(trusted bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns true if the bytes are a path inside a replica. Allocates nothing.
  static func isValid(_ bytes: [UInt8]) -> Bool {
    // The length of the part so far, and true if it consists of dots.
    var (length, isDots) = (0, true)
    for byte in bytes {
      if byte == separator {
        guard length > 0, !(isDots && length <= 2) else { return false }
        (length, isDots) = (0, true)
      } else {
        guard byte != 0 else { return false }
        length += 1
        isDots = isDots && byte == UInt8(ascii: ".")
      }
    }
    return length > 0 && !(isDots && length <= 2)
  }

  /// The parts from the root down; never empty.
  public var parts: [ArraySlice<UInt8>] {
    bytes.split(separator: Self.separator)
  }

  /// The bytes of the last part.
  public var name: ArraySlice<UInt8> {
    guard let slash = bytes.lastIndex(of: Self.separator) else { return bytes[...] }
    return bytes[(slash + 1)...]
  }

  /// The folder that contains the file; nil at the root.
  public var parent: SyncPath? {
    guard let slash = bytes.lastIndex(of: Self.separator) else { return nil }
    return SyncPath(trusted: Array(bytes[..<slash]))
  }

  /// The folders above the file, the nearest first.
  public var ancestors: [SyncPath] {
    Array(sequence(first: self, next: \.parent).dropFirst())
  }

  /// Returns the path of `name` inside this folder; nil if `name` is not valid.
  public func appending(_ name: some Collection<UInt8>) -> SyncPath? {
    SyncPath(bytes: bytes + [Self.separator] + name)
  }

  /// Returns the path of `name` beside this file; nil if `name` is not valid.
  public func sibling(_ name: some Collection<UInt8>) -> SyncPath? {
    guard let parent else { return SyncPath(bytes: Array(name)) }
    return parent.appending(name)
  }

  /// Returns true if this path is below `folder`, at any depth.
  public func isInside(_ folder: SyncPath) -> Bool {
    bytes.count > folder.bytes.count && bytes[folder.bytes.count] == Self.separator && bytes.starts(with: folder.bytes)
  }
}

extension SyncPath: Comparable {
  public static func < (a: SyncPath, b: SyncPath) -> Bool {
    FolderOrder.compare(a.bytes[...], b.bytes[...]) < 0
  }
}

extension SyncPath: CustomStringConvertible {
  /// The path for a person: `printable`.
  public var description: String { printable(bytes) }
}
