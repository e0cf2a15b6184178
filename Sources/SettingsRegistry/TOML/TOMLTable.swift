/// A table of a TOML document, its entries in the order of the file.
public struct TOMLTable: Sendable, Hashable {
  /// One key with its value.
  public struct Entry: Sendable, Hashable {
    /// The key, and where it stands.
    public let key: TOMLKey
    /// The value, and where it stands.
    public let node: TOMLNode
  }

  /// All entries; no two have the same key.
  public private(set) var entries: [Entry] = []
  private var positions: [TOMLKey: Int] = [:]

  /// A table without entries.
  public init() {}

  /// The entry whose key is `key`, byte for byte.
  public subscript(key: String) -> Entry? {
    positions[TOMLKey(key, at: TextLocation(file: ""))].map { entries[$0] }
  }

  /// Adds an entry whose key is new to this table.
  mutating func append(_ key: TOMLKey, _ node: TOMLNode) {
    positions[key] = entries.count
    entries.append(Entry(key: key, node: node))
  }
}
