/// The place in a set of files at which a verb works.
public struct OrgPlace: Sendable, Hashable {
  /// An entry of a file.
  public enum Entry: Sendable, Hashable {
    /// The first entry.
    case first
    /// The text above the first entry.
    case preamble
    /// The entry at the end of a path of titles.
    case path([String])
    /// The entry with this property `ID`.
    case id(String)
    /// The entry that contains a line, counted from 1.
    case line(Int)
  }

  /// The file, relative to the folder of the set.
  public var file: String
  /// The entry in the file.
  public var entry: Entry
  /// The beginning of a list item's text below the entry's headline.
  public var item: String?
  /// A text at or below the entry's headline, such as the first line of a dynamic block.
  public var text: String?

  /// A place in a file.
  public init(file: String, entry: Entry = .first, item: String? = nil, text: String? = nil) {
    (self.file, self.entry, self.item, self.text) = (file, entry, item, text)
  }
}
