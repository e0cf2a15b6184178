extension OrgMerge {
  /// The path of a file in a folder, with slashes: bytes, because names that look the same but differ in Unicode normalisation
  /// belong to different files.
  public struct Path: Hashable, Sendable, Comparable {
    /// The bytes of the path.
    public let bytes: [UInt8]

    /// Creates a path from bytes.
    public init(_ bytes: some Sequence<UInt8>) {
      self.bytes = Array(bytes)
    }

    /// Creates a path from a string.
    public init(_ text: String) {
      bytes = Array(text.utf8)
    }

    /// True if it is the path of an Org file or an Org archive; upper and lower case do not matter, as in Emacs'
    /// `auto-mode-alist`.
    public var isOrg: Bool { [".org", ".org_archive"].contains { Self.name(bytes, endsWith: $0) } }

    /// Returns true if a name ends with `ending`, which has no capital letters, in upper or lower case.
    package static func name(_ name: some BidirectionalCollection<UInt8>, endsWith ending: String) -> Bool {
      name.suffix(ending.utf8.count).elementsEqual(ending.utf8) { byte, letter in
        byte == letter || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == letter
      }
    }

    /// Paths are ordered by their bytes.
    public static func < (one: Path, other: Path) -> Bool { precedes(one.bytes, other.bytes) }

    /// Returns the path with a text inserted before the extension of its last component.
    func insertingBeforeExtension(_ text: String) -> Path {
      let name = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
      let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
      return Path(bytes[..<dot] + text.utf8 + bytes[dot...])
    }
  }
}

extension OrgMerge.Path: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates a path from a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// The path for people; invalid UTF-8 is replaced.
  public var description: String { bytes.string }
}
