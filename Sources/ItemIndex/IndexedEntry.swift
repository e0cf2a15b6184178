import OrgKit

/// An entry as it is written into the index.
struct IndexedEntry: Sendable {
  let mark: OrgEntryMark
  let line: Int
  let item: OrgItem
  let encoded: [UInt8]
  let words: [UInt8]

  init(_ mark: OrgEntryMark, _ item: OrgItem, text: ArraySlice<UInt8>) {
    (self.mark, self.item) = (mark, item)
    line = item.line
    encoded = item.encoded
    words = OrgWords.folded(text)
  }

  /// The properties by key in capitals; the first one of several counts.
  static func properties(of item: OrgItem) -> [String: String] {
    Dictionary(item.properties.map { ($0.key.uppercased(), $0.value) }) { first, _ in first }
  }
}

/// A file as it is written into the index, when nothing of it is there.
struct IndexedFile: Sendable {
  let path: String
  let facts: FileFacts
  let entries: [IndexedEntry]

  init(_ path: String, _ bytes: [UInt8], _ options: IndexOptions) {
    let document = options.document(bytes)
    var reader = options.reader(document, file: path)
    self.path = path
    facts = FileFacts(document)
    entries = document.entryMarks.enumerated().map { place, mark in
      IndexedEntry(mark, reader.item(place), text: document.entryBytes(place))
    }
  }
}

/// What the index has of a file as a whole.
struct FileFacts: Sendable {
  let mark: Int64
  let settings: String
  let groups: String
  let states: String

  init(_ document: OrgDocument) {
    mark = document.mark
    settings = document.itemSettings
    groups = OrgTagGroups(document).lines.joined(separator: "\n")
    states = document.todoKeywords.joined(separator: " ")
  }
}
