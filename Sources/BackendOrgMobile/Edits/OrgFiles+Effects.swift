internal import OrgKit
internal import SyncKit

/// Applies edits like `org-mobile-edit`: only if the entry still has the old value.
extension OrgFiles {
  /// Applies an edit. Throws, with Emacs' message, if it cannot or must not be applied; then nothing has changed.
  mutating func apply(_ edit: Edit) throws(Objection) {
    let location = try location(of: edit.link).get()
    switch edit.kind {
    case .addheading: try add(edit.new, below: location)
    case .todo, .tags, .priority, .heading, .body, .flag: try change(location, edit)
    case .refile: try move(location, to: edit.new)
    case .delete: try remove(location)
    case .archive: try archive(location)
    case .archiveSibling: try archiveBeside(location)
    }
  }

  private mutating func change(_ location: EntryLocation, _ edit: Edit) throws(Objection) {
    var (document, index) = try entry(at: location)
    if edit.kind == .todo, edit.new.elementsEqual("DONEARCHIVE".utf8) {
      try Objection.of { try document[index].setKeyword(document.doneKeywords.first) }
      documents[location.path] = document
      return try archive(location)
    }
    switch edit.kind {
    case .todo: try setKeyword(of: &document[index], edit, valid: document.todoKeywords)
    case .tags: try setTags(of: &document[index], edit)
    case .priority: try setPriority(of: &document[index], edit, valid: document.priorities ?? priorities)
    case .heading: try setHeading(of: &document[index], edit)
    case .body: try setBody(of: &document[index], edit)
    default: try Objection.of { try flag(&document[index], edit.new) }
    }
    documents[location.path] = document
  }

  func entry(at location: EntryLocation) throws(Objection) -> (OrgDocument, OrgEntry.Index) {
    guard let document = documents[location.path], let index = location.entry else {
      throw Objection(message: "The edit is about no entry")
    }
    return (document, index)
  }

  // MARK: Values

  private func setKeyword(of entry: inout OrgEntry, _ edit: Edit, valid: [String]) throws(Objection) {
    let current = Bytes((entry.keyword ?? "").utf8)
    if current == edit.new { return }
    guard current == edit.old else {
      throw Objection(
        message: "State before change was expected as \"\(Self.shown(edit.old))\", but is \"\(entry.keyword ?? "nil")\""
      )
    }
    guard edit.new.isEmpty || valid.contains(where: { $0.utf8.elementsEqual(edit.new) }) else {
      throw Objection(message: "State ‘\(edit.new.string)’ not valid in this file")
    }
    try Objection.of { try entry.setKeyword(edit.new.isEmpty ? nil : edit.new.string) }
  }

  /// A value as in Emacs' messages.
  private static func shown(_ value: Bytes) -> String { value.isEmpty ? "nil" : value.string }

  private func setTags(of entry: inout OrgEntry, _ edit: Edit) throws(Objection) {
    let current = Set(entry.tags.map { Bytes($0.utf8) })
    let (old, new) = (Self.tags(edit.old), Self.tags(edit.new))
    if entry.tags.map({ Bytes($0.utf8) }) == new { return }
    guard current == Set(old) else {
      throw Objection(
        message:
          "Tags before change were expected as \"\(edit.old.string)\", but are \"(\(entry.tags.joined(separator: " ")))\""
      )
    }
    try Objection.of { try entry.setTags(new.map(\.string)) }
  }

  private static func tags(_ value: Bytes) -> [Bytes] {
    value.split { $0 == UInt8(ascii: ":") || $0.isWhite }.map { Bytes($0) }
  }

  private func setPriority(
    of entry: inout OrgEntry, _ edit: Edit, valid: ClosedRange<UInt8>?
  ) throws(Objection) {
    let current = Bytes((entry.priority ?? "").utf8)
    let new = edit.new.string.uppercased()
    if current.elementsEqual(new.utf8) { return }
    guard current == edit.old else {
      throw Objection(message: "Priority was expected to be \(Self.shown(edit.old)), but is \(entry.priority ?? "nil")")
    }
    if let valid, let letter = new.utf8.first, !valid.contains(letter) {
      let (highest, lowest) = ([valid.lowerBound].string, [valid.upperBound].string)
      throw Objection(message: "Priority must be between ‘\(highest)’ and ‘\(lowest)’")
    }
    // Emacs would have to ask; here, no value means no priority.
    try Objection.of { try entry.setPriority(new.isEmpty ? nil : new) }
  }

  private func setHeading(of entry: inout OrgEntry, _ edit: Edit) throws(Objection) {
    if entry.heading == edit.new { return }
    guard entry.heading == edit.old else {
      throw Objection(message: "Heading changed in the mobile device and on the computer")
    }
    guard !edit.new.isEmpty, let line = edit.new.textLines.first else { throw Objection(message: "EXECUTION FAILED") }
    try Objection.of { try entry.replaceHeading(with: line.string) }
    let more = Array(edit.new.textLines.dropFirst())
    if !more.isEmpty { entry.content = more.text + entry.content }
  }

  private func setBody(of entry: inout OrgEntry, _ edit: Edit) throws(Objection) {
    if BodyKey(entry.text) == BodyKey(edit.new) { return }
    guard BodyKey(entry.text) == BodyKey(edit.old) else {
      throw Objection(message: "Body was changed in the mobile device and on the computer")
    }
    entry.content = edit.new
  }

  private func flag(_ entry: inout OrgEntry, _ note: Bytes) throws(OrgEditError) {
    if !entry.tags.contains("FLAGGED") { try entry.setTags(entry.tags + ["FLAGGED"]) }
    try entry.setProperty("THEFLAGGINGNOTE", to: note.textLines.map { $0.string + "\\n" }.joined())
  }

  // MARK: Structure

  private mutating func add(_ text: Bytes, below location: EntryLocation) throws(Objection) {
    guard !text.isBlank else { throw Objection(message: "EXECUTION FAILED") }
    var document = documents[location.path] ?? OrgDocument([], todoKeywords: todoLines)
    document.append("* \(text.string)", below: location.entry)
    documents[location.path] = document
  }

  /// Removes the subtree with its blank lines from its file, and returns it.
  private mutating func take(_ location: EntryLocation) throws(Objection) -> String {
    var (document, index) = try entry(at: location)
    let text = Bytes(document[index].subtree).string
    document.remove(index)
    documents[location.path] = document
    return text
  }

  private mutating func move(_ location: EntryLocation, to value: Bytes) throws(Objection) {
    guard let link = EntryLink(value) else { throw Objection(message: "The target \(value.string) is not a link") }
    let target = try self.location(of: link).get()
    let (document, index) = try entry(at: location)
    if target.path == location.path {
      let moved = document[index].place..<document[index].place + document[index].subtreeCount
      if let entry = target.entry, moved.contains(document[entry].place) {
        throw Objection(message: "Cannot refile to a place inside the tree")
      }
      var document = document
      document.move(index, below: target.entry)
      documents[location.path] = document
    } else {
      let text = try take(location)
      var document = documents[target.path] ?? OrgDocument([], todoKeywords: todoLines)
      document.append(text, below: target.entry)
      documents[target.path] = document
    }
  }

  private mutating func remove(_ location: EntryLocation) throws(Objection) { _ = try take(location) }

  /// Moves the subtree to the end of `FILE_archive`, Org's default archive.
  private mutating func archive(_ location: EntryLocation) throws(Objection) {
    guard let path = SyncPath(bytes: location.path.bytes + Bytes("_archive".utf8)) else { return }
    var (document, index) = try entry(at: location)
    let path0 = document[index].path.dropLast().joined(separator: "/")
    let properties = [
      ("ARCHIVE_TIME", now), ("ARCHIVE_FILE", location.path.bytes.string),
      ("ARCHIVE_OLPATH", path0.isEmpty ? nil : path0), ("ARCHIVE_TODO", document[index].keyword),
    ]
    try Objection.of { try document.add(properties, to: index) }
    documents[location.path] = document
    let text = try take(location)
    var archive = documents[path] ?? OrgDocument([], todoKeywords: todoLines)
    archive.append(text)
    documents[path] = archive
  }

  private mutating func archiveBeside(_ location: EntryLocation) throws(Objection) {
    var (document, index) = try entry(at: location)
    let parent = document[index].parent
    let siblings = parent?.children ?? document.topLevelEntries
    let archive = siblings.first { $0.title == "Archive" && $0.tags.contains("ARCHIVE") }
    var target = archive?.index
    if target == nil { target = document.append("* Archive :ARCHIVE:", below: parent?.index) }
    guard let target, target != index else { throw Objection(message: "It is the archive itself") }
    try Objection.of { try document.add([("ARCHIVE_TIME", now)], to: index) }
    document.move(index, below: target)
    documents[location.path] = document
  }
}

extension OrgFiles.Objection {
  /// Makes an edit; throws if Org would parse the result differently.
  fileprivate static func of(_ edit: () throws -> Void) throws(OrgFiles.Objection) {
    do { try edit() } catch { throw OrgFiles.Objection(message: "\(error)") }
  }
}

extension OrgEntry {
  /// Replaces the heading by a text, as Emacs does: if its end looks like tags, for instance, it becomes tags.
  fileprivate mutating func replaceHeading(with text: String) throws(OrgEditError) {
    let line = [
      "*", keyword, priority.map { "[#\($0)]" }, text, tags.isEmpty ? nil : ":\(tags.joined(separator: ":")):",
    ]
    let states = document.todoKeywords.joined(separator: " ")
    let document = OrgDocument(Bytes(line.compactMap(\.self).joined(separator: " ").utf8), todoKeywords: [states])
    guard let headline = document.entries.first else { return }
    try setKeyword(headline.keyword)
    try setPriority(headline.priority)
    try setComment(headline.isComment)
    try setTitle(headline.title)
    try setTags(headline.tags)
  }
}

extension OrgDocument {
  /// Adds the properties that have a value.
  fileprivate mutating func add(
    _ properties: [(key: String, value: String?)], to index: OrgEntry.Index
  ) throws(OrgEditError) {
    try edit { edits throws(OrgEditError) in
      for case (let key, let value?) in properties { try edits[index].setProperty(key, to: value) }
    }
  }

  /// The priorities that the file declares as letters, such as `#+PRIORITIES: A E C`; nil if it declares none.
  fileprivate var priorities: ClosedRange<UInt8>? {
    let words = settings("PRIORITIES").first?.split(separator: " ").map { Bytes($0.utf8) } ?? []
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard words.count >= 2, words[...1].allSatisfy({ $0.count == 1 && letters.contains($0[0]) }),
      words[0][0] <= words[1][0]
    else { return nil }
    return words[0][0]...words[1][0]
  }
}
