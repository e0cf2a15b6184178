/// One part of a section: a paragraph, a list, a drawer, and so on, with the blank lines above it.
struct Block {
  /// What a block is, and so how it merges.
  enum Kind: Hashable {
    case paragraph
    case list
    case table
    /// `#+begin_NAME` with blocks inside: quote, center and special blocks.
    case container(name: [UInt8])
    /// `#+begin_NAME` whose lines stand as they are: src, example, export, comment and verse blocks.
    case verbatim(name: [UInt8])
    /// `#+begin: NAME`, whose content Org writes again and again.
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
    case keyword(key: [UInt8])
    case encrypted
  }

  let kind: Kind
  /// The blank lines above, and the lines of the block.
  let whole: Lines
  private let start: Int
  /// How many of the lines are keywords such as `#+name:` that belong to the block.
  let affiliated: Int

  /// A block of some lines; those above `start` are blank.
  init(kind: Kind, _ whole: Lines, from start: Int, affiliated: Int) {
    (self.kind, self.whole, self.start, self.affiliated) = (kind, whole, start, affiliated)
  }

  /// The blank lines above.
  var gap: Lines { whole[..<start] }

  /// The lines, from keywords that belong to the block to the line that ends it.
  var lines: Lines { whole[start...] }

  /// True if the block is what a source block computed: `#+RESULTS:` stands above it.
  var isResult: Bool { lines.prefix(affiliated).contains { $0.trimmedLeft.hasPrefix(ignoringCase: "#+results") } }

  /// The lines without the keywords that belong to the block.
  var body: Lines { lines.dropFirst(affiliated) }
}

/// What stands below a headline, taken apart down to blocks.
struct Section {
  /// All lines.
  let lines: Lines
  let planning: Planning?
  let drawer: PropertyDrawer?
  let blocks: [Block]

  /// Reads the section of an entry, or the preamble of a file.
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
