/// An Org file: a tree of entries over the bytes of the file.
///
/// Parsing is lossless: ``bytes`` are the bytes that it was created from, whatever they are. Everything else is computed from
/// them on demand. An edit changes only the bytes that it concerns.
public struct OrgDocument: Sendable {
  /// The file, byte for byte.
  public var bytes: [UInt8] { outline.text }

  private let reading: Reading

  var outline: Outline { reading.outline }
  var keywords: Keywords { reading.keywords }
  /// The keywords for files that declare none.
  var usualKeywords: Keywords { reading.usualKeywords }

  /// The result of parsing; a class, so that a copy of a document, and every view into it, counts one reference.
  private final class Reading: Sendable {
    let outline: Outline
    let keywords: Keywords
    let usualKeywords: Keywords
    /// The origin of a separate entry; nil for a file.
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

  /// Parses a file; every sequence of bytes is valid.
  public init(_ bytes: [UInt8]) {
    self.init(bytes, usualKeywords: .usual)
  }

  /// Parses a file with other default states for files that declare none: each element is the value of a `#+TODO:` line.
  public init(_ bytes: [UInt8], todoKeywords: [String]) {
    self.init(bytes, usualKeywords: todoKeywords.isEmpty ? .usual : Keywords(declared: todoKeywords))
  }

  init(_ bytes: [UInt8], usualKeywords: Keywords) {
    reading = Reading(bytes, usualKeywords: usualKeywords)
  }

  /// The properties that a separate entry has from its file.
  struct Origin {
    let keywords: Keywords
    let lineEnd: [UInt8]
    /// True if nothing follows the entry.
    let isLast: Bool
  }

  /// Creates a separate document for an entry of a file.
  init(_ bytes: [UInt8], separatedFrom origin: Origin) {
    reading = Reading(bytes, separatedFrom: origin)
  }

  /// Returns the same document, or separate entry, with other bytes.
  func reread(_ bytes: [UInt8]) -> OrgDocument {
    reading.origin.map { OrgDocument(bytes, separatedFrom: $0) } ?? OrgDocument(bytes, usualKeywords: usualKeywords)
  }

  /// True if the document is one entry, separated from its file to be edited.
  var isSeparateEntry: Bool { reading.origin != nil }

  /// True if a text at the end of the document may lack its line end, because nothing follows in the file.
  var mayLackLineEnd: Bool { reading.origin?.isLast ?? true }

  /// The line end of the file, as in its first line.
  var lineEnd: [UInt8] {
    if let origin = reading.origin { return origin.lineEnd }
    guard let end = bytes.firstIndex(of: .newline), end > 0, bytes[end - 1] == .carriageReturn else {
      return [.newline]
    }
    return [.carriageReturn, .newline]
  }

  /// Parses a file from a string.
  public init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// The file as a string; invalid UTF-8 is replaced.
  public var text: String { bytes.string }

  /// All entries from top to bottom.
  public var entries: Entries { Entries(document: self) }

  /// The entries without a parent.
  public var topLevelEntries: [OrgEntry] { children(of: 0) }

  /// The blocks above the first headline.
  public var preamble: [OrgBlock] { Section(outline.section(0), isPreamble: true).blocks.map(OrgBlock.init) }

  /// Returns the values of the `#+KEY: value` lines above the first headline, in order; ignores case.
  public func settings(_ key: String) -> [String] {
    outline.section(0).lines.compactMap { KeywordLine($0) }
      .filter { $0.key.lowercased == Array(key.utf8)[...].lowercased }.map(\.value.string)
  }

  /// The task states of this file, in declaration order.
  public var todoKeywords: [String] { keywords.sequence.map(\.string) }

  /// The states that mean "done".
  public var doneKeywords: [String] { keywords.sequence.filter { keywords.isDone($0[...]) }.map(\.string) }

  /// An entry for reading, or for editing in place: `try document[place].setTitle("New")`. Each edit parses the document again;
  /// ``edit(_:)`` makes many edits and parses it once.
  public subscript(place: OrgEntry.Index) -> OrgEntry {
    get { OrgEntry(document: self, index: place) }
    set { self = newValue.document }
  }

  func children(of node: Int) -> [OrgEntry] {
    outline.children(of: node).map { OrgEntry(document: self, index: OrgEntry.Index($0)) }
  }
}

extension OrgDocument {
  /// The entries of a document from top to bottom, created on demand.
  public struct Entries: RandomAccessCollection, Sendable {
    let document: OrgDocument

    /// Always zero.
    public var startIndex: Int { 0 }

    /// The number of entries.
    public var endIndex: Int { document.outline.nodes.count - 1 }

    /// The entry at a position, counted from the top of the file.
    public subscript(place: Int) -> OrgEntry { document[OrgEntry.Index(place + 1)] }
  }
}

extension OrgDocument: Equatable {
  /// Two documents are equal if their bytes are.
  public static func == (left: OrgDocument, right: OrgDocument) -> Bool { left.bytes == right.bytes }
}
