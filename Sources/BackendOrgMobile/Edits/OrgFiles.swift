internal import OrgKit
internal import SyncKit

/// The Org files of a desktop, to which edits are applied as in Emacs.
struct OrgFiles: Sendable {
  var documents: [SyncPath: OrgDocument] = [:]
  /// The task states for files that declare none.
  var todoLines: [String]
  /// The priorities for files that declare none; nil if that is unknown, and any is allowed.
  var priorities: ClosedRange<UInt8>?
  /// The time for archived entries, `2026-01-15 Thu 09:00`; nil for none.
  var now: String?

  init(_ files: [SyncPath: Bytes], todoLines: [String], priorities: ClosedRange<UInt8>? = nil) {
    self.todoLines = todoLines
    self.priorities = priorities
    documents = files.mapValues { OrgDocument($0, todoKeywords: todoLines) }
  }

  subscript(path: SyncPath) -> OrgDocument? {
    get { documents[path] }
    set { documents[path] = newValue }
  }

  /// An entry, or a file as a whole.
  struct EntryLocation: Hashable, Sendable {
    var path: SyncPath
    var entry: OrgEntry.Index?
  }

  /// Resolves a link; the error has Emacs' message.
  func location(of link: EntryLink) -> Result<EntryLocation, Objection> {
    switch link {
    case .id(let id): location(ofID: id)
    case .outline(let file, let path): location(ofPath: path, in: file)
    }
  }

  /// The reason why an edit is rejected.
  struct Objection: Error, Hashable, Sendable {
    var message: String
  }

  private func location(ofID id: Bytes) -> Result<EntryLocation, Objection> {
    for (path, document) in documents.sorted(by: { $0.key < $1.key }) {
      if let entry = document.entry(id: id.string) { return .success(EntryLocation(path: path, entry: entry.index)) }
    }
    return .failure(Objection(message: "BAD REFERENCE"))
  }

  private func location(ofPath titles: [Bytes], in file: Bytes) -> Result<EntryLocation, Objection> {
    guard let path = SyncPath(bytes: file) else {
      return .failure(Objection(message: "The file \(file.string) is not in the folder of Org files"))
    }
    guard !titles.isEmpty else { return .success(EntryLocation(path: path)) }
    guard let document = documents[path] else {
      return .failure(Objection(message: "Heading not found on level 1: \(titles[0].string)"))
    }
    var found: OrgEntry?
    for (depth, title) in titles.enumerated() {
      let key = TitleKey(title)
      // Every component must be one level deeper, whatever is below it.
      let candidates = (found?.children ?? document.topLevelEntries).filter {
        $0.level == depth + 1 && TitleKey($0.heading) == key
      }
      guard let next = candidates.first else {
        return .failure(Objection(message: "Heading not found on level \(depth + 1): \(title.string)"))
      }
      guard candidates.count == 1 else {
        return .failure(Objection(message: "Heading not unique on level \(depth + 1): \(title.string)"))
      }
      found = next
    }
    return .success(EntryLocation(path: path, entry: found?.index))
  }

  /// The outline path by which Emacs finds an entry; nil if there is none: its parents skip a level, a sibling has the same
  /// title, or a priority that Org before 9.8 does not know prevents it.
  func outlineLink(to entry: OrgEntry, in path: SyncPath) -> EntryLink? {
    var titles: [Bytes] = []
    var step: OrgEntry? = entry
    while let current = step {
      guard !current.heading.isEmpty, current.priority?.utf8.count ?? 1 == 1 else { return nil }
      titles.insert(current.heading, at: 0)
      step = current.parent
    }
    let link = EntryLink.outline(file: path.bytes, path: titles)
    guard case .success(let location) = location(of: link), location.entry == entry.index else { return nil }
    return link
  }

  /// Returns true if no other entry has this ID.
  func isUnique(id: String) -> Bool {
    var count = 0
    for document in documents.values {
      count += document.entries.count { $0.id.map { Bytes($0.utf8) == Bytes(id.utf8) } ?? false }
    }
    return count == 1
  }
}
