extension OrgMerge {
  /// The path of a file in a folder, with slashes: bytes, for names that look the same but are spelled in another Unicode
  /// form are names of different files.
  public struct Path: Hashable, Sendable, Comparable {
    /// The path as the system knows it.
    public let bytes: [UInt8]

    /// The path of these bytes.
    public init(_ bytes: some Sequence<UInt8>) {
      self.bytes = Array(bytes)
    }

    /// The path that a string spells.
    public init(_ text: String) {
      bytes = Array(text.utf8)
    }

    /// True if it is the path of an Org file or an Org archive.
    public var isOrg: Bool { [".org", ".org_archive"].contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) } }

    /// Paths are ordered by their bytes.
    public static func < (one: Path, other: Path) -> Bool { precedes(one.bytes, other.bytes) }

    /// The path with something put before the extension of its last part.
    func insertingBeforeExtension(_ text: String) -> Path {
      let name = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
      let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
      return Path(bytes[..<dot] + text.utf8 + bytes[dot...])
    }
  }
}

extension OrgMerge.Path: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The path that a literal spells.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// The path for people; broken characters are replaced.
  public var description: String { bytes.string }
}
