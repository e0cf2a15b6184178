/// A part of a section: a paragraph, a list, a table, a drawer, and so on.
public struct OrgBlock: Sendable {
  /// The kind of a block.
  public enum Kind: Sendable, Hashable {
    /// Text.
    case paragraph
    /// Items, see ``OrgBlock/items``.
    case list
    /// Rows, see ``OrgBlock/rows``.
    case table
    /// `#+begin_NAME` with text inside, such as `quote`.
    case container(String)
    /// `#+begin_NAME` with code or raw text inside, such as `src`; `latex` for a LaTeX environment.
    case verbatim(String)
    /// `#+begin: NAME`, whose content Org generates.
    case dynamic
    /// `:NAME:` to `:END:`.
    case drawer(String)
    /// The property drawer of a file.
    case properties
    /// State changes, notes and clock lines, see ``OrgBlock/logItems``.
    case log
    /// The definition of a footnote with this label.
    case footnote(String)
    /// An inline task: an entry of at least fifteen stars inside the text.
    case inlineTask
    /// Lines that begin with a colon.
    case fixedWidth
    /// Lines that begin with `#`.
    case comment
    /// A horizontal rule: a line of at least five hyphens.
    case rule
    /// `#+KEY: value`.
    case keyword(String)
    /// An encrypted message.
    case encrypted
  }

  /// The kind of the block.
  public var kind: Kind { Kind(block.kind) }
  private let block: Block

  init(_ block: Block) {
    self.block = block
  }

  /// The bytes of the block, from its affiliated keywords to its last line without the line end.
  public var bytes: ArraySlice<UInt8> { block.lines.bytes }

  /// The block as a string.
  public var text: String { bytes.string }

  /// The items of a list; empty for other blocks.
  public var items: [OrgListItem] {
    block.kind == .list ? ListItem.items(of: block.body).map(OrgListItem.init) : []
  }

  /// The cells of a table, row by row, without rules and formulas; empty for other blocks.
  public var rows: [[String]] {
    guard block.kind == .table else { return [] }
    return block.body.compactMap { line in TableRow.cellPlaces(in: line)?.map { line[$0].string } }
  }

  /// The items of a log; empty for other blocks.
  public var logItems: [OrgLogItem] {
    guard block.kind == .log else { return [] }
    return LogItem.items(of: LogLines(block.body).items).map(OrgLogItem.init)
  }
}

extension OrgBlock.Kind {
  fileprivate init(_ kind: Block.Kind) {
    self =
      switch kind {
      case .paragraph: .paragraph
      case .list: .list
      case .table: .table
      case .container(let name): .container(name.string)
      case .verbatim(let name): .verbatim(name.string)
      case .dynamic: .dynamic
      case .drawer(let name): .drawer(name.string)
      case .properties: .properties
      case .log: .log
      case .footnote(let label): .footnote(label.string)
      case .inlineTask: .inlineTask
      case .fixedWidth: .fixedWidth
      case .comment: .comment
      case .rule: .rule
      case .keyword(let key): .keyword(key.string)
      case .encrypted: .encrypted
      }
  }
}

/// An item of a list.
public struct OrgListItem: Sendable {
  /// A checkbox.
  public enum Box: Sendable {
    /// `[ ]`
    case empty
    /// `[-]`: some sub-items are ticked.
    case partial
    /// `[X]`
    case ticked
  }

  private let item: ListItem

  init(_ item: ListItem) {
    self.item = item
  }

  /// The bullet: `-`, `+`, `*`, or a number with its punctuation.
  public var bullet: String { item.lines.first.map { $0[item.marker.bullet].string } ?? "" }

  /// The checkbox, if the item has one.
  public var box: Box? {
    switch item.marker.box {
    case .none: nil
    case .some(.space): .empty
    case .some(UInt8(ascii: "-")): .partial
    case .some: .ticked
    }
  }

  /// The text of the item without its sub-items, with white space collapsed.
  public var text: String { item.text.map { $0.collapsed.string }.filter { !$0.isEmpty }.joined(separator: " ") }

  /// The sub-items.
  public var children: [OrgListItem] { item.children.map(OrgListItem.init) }
}

/// An item of an entry's log: a state change, a note or a clock line.
public struct OrgLogItem: Sendable {
  private let item: LogItem

  init(_ item: LogItem) {
    self.item = item
  }

  /// The text of the item.
  public var text: String { item.lines.map(\.string).joined(separator: "\n") }

  /// The time of the item; for a clock line, the start of the clock.
  public var timestamp: OrgTimestamp? { item.stamp.flatMap { OrgTimestamp($0) } }

  /// True if it is a clock line.
  public var isClock: Bool { item.isClock }

  /// The end of the clock; nil for a running clock and for other items.
  public var clockEnd: OrgTimestamp? {
    guard item.isClock, item.isClosed else { return nil }
    return item.lines.first?.inactiveTimestamps.last.flatMap { OrgTimestamp($0) }
  }
}
