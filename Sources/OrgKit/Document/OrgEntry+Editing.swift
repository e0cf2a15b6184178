// Edits of an entry: its text is taken out of the document, changed and parsed again. If the result does not have the old
// fields with the one new value, the edit is rejected.

extension OrgEntry {
  /// The entry as a separate document, with the keywords and line ends of its file.
  var separated: OrgEntry {
    if document.isSeparateEntry { return self }
    let range = document.outline.range(upToNext: index.node)
    let origin = OrgDocument.Origin(
      keywords: document.keywords, lineEnd: document.lineEnd, isLast: range.upperBound == document.bytes.count)
    let separate = OrgDocument(Array(document.bytes[range]), separatedFrom: origin)
    return OrgEntry(document: separate, index: Index(1))
  }

  /// Writes a field with `write`, which changes a separate entry, and verifies that it parses as `set` specifies.
  mutating func change(
    _ field: OrgEditError.Field, to value: String?, set: (inout EditedFields) -> Void, write: (inout OrgEntry) -> Void
  ) throws(OrgEditError) {
    var entry = separated
    let old = EditedFields(entry)
    var expected = old
    set(&expected)
    if expected == old { return }
    let count = entry.document.outline.nodes.count
    write(&entry)
    guard entry.document.outline.nodes.count == count, EditedFields(entry) == expected else {
      throw OrgEditError(field: field, value: value, reason: .readsDifferently)
    }
    replace(with: entry)
  }

  /// Replaces this entry by an edited, separate one.
  mutating func replace(with entry: OrgEntry) {
    if document.isSeparateEntry {
      self = entry
    } else {
      document.put([index.node: entry])
    }
  }
}

/// The fields of an entry as bytes, because string comparison would treat different bytes as equal.
struct EditedFields: Equatable {
  var keyword: [UInt8]?
  var priority: [UInt8]?
  var isComment: Bool
  var title: [UInt8]
  var tags: [[UInt8]]
  var dates: [Planning.Kind: OrgTimestamp]
  var properties: [[[UInt8]]]
  var body: [[UInt8]]

  init(_ entry: OrgEntry) {
    let headline = entry.headline
    keyword = headline.keyword.map { Array($0) }
    priority = headline.priority.map { Array($0) }
    isComment = headline.isComment
    title = Array(headline.title)
    tags = headline.tags.map { Array($0) }
    let planning = entry.planningLine
    dates = [:]
    for kind in Planning.Kind.allCases { dates[kind] = planning?[kind].flatMap { OrgTimestamp($0) } }
    properties = (entry.drawer?.properties ?? []).map { [Array($0.key), Array($0.value)] }
    body = entry.bodyLines
  }
}

extension String {
  /// Returns the bytes of a value without outer white space, which has no meaning in Org; rejects control characters.
  func value(of field: OrgEditError.Field) throws(OrgEditError) -> [UInt8] {
    guard unicodeScalars.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control }) else {
      throw OrgEditError(field: field, value: self, reason: .controlCharacter)
    }
    return Array(Array(utf8)[...].trimmed)
  }
}
