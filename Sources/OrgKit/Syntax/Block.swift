/// One part of a section: a paragraph, a list, a drawer, and so on, with the blank lines above it.
struct Block {
  /// The kind of a block, which determines how it merges.
  enum Kind: Hashable {
    case paragraph
    case list
    case table
    /// `#+begin_NAME` with blocks inside: quote, center and special blocks.
    case container(name: [UInt8])
    /// `#+begin_NAME` with verbatim lines: src, example, export, comment and verse blocks; LaTeX environments are named `latex`.
    case verbatim(name: [UInt8])
    /// `#+begin: NAME`, whose content Org generates.
    case dynamic
    /// `:NAME:` to `:END:`.
    case drawer(name: [UInt8])
    /// The property drawer of a file.
    case properties
    /// Log items and clock lines, with or without a drawer around them.
    case log
    case footnote(label: [UInt8])
    case inlineTask
    case fixedWidth
    case comment
    /// A horizontal rule: a line of at least five hyphens.
    case rule
    case keyword(key: [UInt8])
    case encrypted
  }

  let kind: Kind
  /// The blank lines above, and the lines of the block.
  let whole: Lines
  private let start: Int
  /// The number of affiliated keyword lines, such as `#+name:`.
  let affiliated: Int

  /// Creates a block of some lines; those before `start` are blank.
  init(kind: Kind, _ whole: Lines, from start: Int, affiliated: Int) {
    (self.kind, self.whole, self.start, self.affiliated) = (kind, whole, start, affiliated)
  }

  /// The blank lines above.
  var gap: Lines { whole[..<start] }

  /// The lines from the affiliated keywords to the closing line.
  var lines: Lines { whole[start...] }

  /// True if the block is the result of a source block, after `#+RESULTS:`.
  var isResult: Bool { lines.prefix(affiliated).contains { $0.trimmedLeft.hasPrefix(ignoringCase: "#+results") } }

  /// The lines without the affiliated keywords.
  var body: Lines { lines.dropFirst(affiliated) }
}

/// The text below a headline, parsed into blocks.
struct Section {
  /// All lines.
  let lines: Lines
  let planning: Planning?
  let drawer: PropertyDrawer?
  let blocks: [Block]

  /// Parses the section of an entry, or the preamble of a file.
  init(_ text: Bytes, isPreamble: Bool) {
    lines = text.lines
    var rest = lines
    planning = isPreamble ? nil : rest.first.flatMap { Planning($0) }
    if planning != nil { rest = rest.dropFirst() }
    drawer = isPreamble ? nil : PropertyDrawer(at: rest)
    if let drawer { rest = rest[drawer.lines.endIndex...] }
    var scanner = BlockScanner(rest, isPreamble: isPreamble)
    blocks = scanner.blocks()
  }
}
