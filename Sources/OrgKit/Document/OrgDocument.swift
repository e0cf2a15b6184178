/// An Org file: a tree of entries over the bytes of the file.
///
/// Reading loses nothing: ``bytes`` are the bytes it was made from, whatever they are. Everything else is found in
/// them on demand. A change touches the bytes it is about and no others.
public struct OrgDocument: Sendable {
  /// The file, byte for byte.
  public var bytes: [UInt8] { outline.text }

  private let reading: Reading

  var outline: Outline { reading.outline }
  var keywords: Keywords { reading.keywords }
  /// What the states are if the file declares none.
  var usualKeywords: Keywords { reading.usualKeywords }

  /// What was found in the bytes; a class, so that a copy of a document, and every view into it, counts one reference.
  private final class Reading: Sendable {
    let outline: Outline
    let keywords: Keywords
    let usualKeywords: Keywords
    /// Where a separate entry comes from; nil for a file.
    let origin: Origin?

    init(_ bytes: [UInt8], usualKeywords: Keywords) {
      outline = Outline(bytes)
      keywords = Keywords(of: [outline], otherwise: usualKeywords)
      self.usualKeywords = usualKeywords
      origin = nil
    }

    init(_ bytes: [UInt8], separatedFrom origin: Origin) {
      outline = Outline(bytes)
      (keywords, usualKeywords) = (origin.keywords, origin.keywords)
      self.origin = origin
    }
  }

  /// Reads a file; every sequence of bytes is one.
  public init(_ bytes: [UInt8]) {
    self.init(bytes, usualKeywords: .usual)
  }

  /// Reads a file for an Org setup that has these states where a file declares none: each element is the value of a
  /// line `#+TODO:`.
  public init(_ bytes: [UInt8], todoKeywords: [String]) {
    self.init(bytes, usualKeywords: todoKeywords.isEmpty ? .usual : Keywords(declared: todoKeywords))
  }

  init(_ bytes: [UInt8], usualKeywords: Keywords) {
    reading = Reading(bytes, usualKeywords: usualKeywords)
  }

  /// What a separate entry has from its file.
  struct Origin {
    let keywords: Keywords
    let lineEnd: [UInt8]
    /// True if nothing is below the entry.
    let isLast: Bool
  }

  /// An entry of a file as a document of its own.
  init(_ bytes: [UInt8], separatedFrom origin: Origin) {
    reading = Reading(bytes, separatedFrom: origin)
  }

  /// The same document, or separate entry, with other bytes.
  func reread(_ bytes: [UInt8]) -> OrgDocument {
    reading.origin.map { OrgDocument(bytes, separatedFrom: $0) } ?? OrgDocument(bytes, usualKeywords: usualKeywords)
  }

  /// True if the document is one entry, separated from its file to be edited.
  var isSeparateEntry: Bool { reading.origin != nil }

  /// True if a text at the end of the document may lack its line end, because nothing follows it in the file.
  var mayLackLineEnd: Bool { reading.origin?.isLast ?? true }

  /// The line end of the file: that of its first line.
  var lineEnd: [UInt8] {
    if let origin = reading.origin { return origin.lineEnd }
    guard let end = bytes.firstIndex(of: .newline), end > 0, bytes[end - 1] == .carriageReturn else {
      return [.newline]
    }
    return [.carriageReturn, .newline]
  }

  /// Reads a file from a string.
  public init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// The file as a string; bytes that are not UTF-8 are replaced.
  public var text: String { bytes.string }

  /// All entries from top to bottom.
  public var entries: Entries { Entries(document: self) }

  /// The entries that are below no other.
  public var topLevelEntries: [OrgEntry] { children(of: 0) }

  /// The parts of what stands above the first headline.
  public var preamble: [OrgBlock] { Section(outline.section(0), isPreamble: true).blocks.map(OrgBlock.init) }

  /// The values of the lines `#+KEY: value` above the first headline, in order; case is ignored.
  public func settings(_ key: String) -> [String] {
    outline.section(0).lines.compactMap { KeywordLine($0) }
      .filter { $0.key.lowercased == Array(key.utf8)[...].lowercased }.map(\.value.string)
  }

  /// The states of tasks in this file, in the order of their declaration.
  public var todoKeywords: [String] { keywords.sequence.map(\.string) }

  /// Those of the states that mean that a task is done.
  public var doneKeywords: [String] { keywords.sequence.filter { keywords.isDone($0[...]) }.map(\.string) }

  /// An entry to read, or to edit in place: `try document[place].setTitle("New")`. Each edit reads the document again;
  /// ``edit(_:)`` makes many edits and reads it once.
  public subscript(place: OrgEntry.Index) -> OrgEntry {
    get { OrgEntry(document: self, index: place) }
    set { self = newValue.document }
  }

  func children(of node: Int) -> [OrgEntry] {
    outline.children(of: node).map { OrgEntry(document: self, index: OrgEntry.Index($0)) }
  }
}

extension OrgDocument {
  /// The entries of a document from top to bottom, each made when it is asked for.
  public struct Entries: RandomAccessCollection, Sendable {
    let document: OrgDocument

    /// Always zero.
    public var startIndex: Int { 0 }

    /// The number of entries.
    public var endIndex: Int { document.outline.nodes.count - 1 }

    /// The entry that stands at a place, counted from the top of the file.
    public subscript(place: Int) -> OrgEntry { document[OrgEntry.Index(place + 1)] }
  }
}

extension OrgDocument: Equatable {
  /// Two documents are equal if their bytes are.
  public static func == (left: OrgDocument, right: OrgDocument) -> Bool { left.bytes == right.bytes }
}
