internal import OrgKit
internal import SyncKit

/// Expresses the store's changes of the desktop's files as edits.
///
/// Each edit is applied to a copy of the desktop's files at once, so the next link matches the files at that point. Differences
/// that remain at the end cannot be expressed, and become a note with both versions. Pure.
struct EditPlan {
  /// The desktop's version of a file, nil if it has none, and the new content.
  struct Change: Sendable {
    var path: SyncPath
    var old: Bytes?
    var new: Bytes
  }

  /// The new content of the capture file: edits, flags and captures, each a level-1 heading with its subtree.
  private(set) var requests: [Bytes] = []
  let options: Options
  var files: OrgFiles
  /// The new versions, and for each entry of the copy its entry in them; nil for a removed one.
  var wanted: [SyncPath: OrgDocument] = [:]
  var identities: [SyncPath: [Identity?]] = [:]
  /// The entries of each wanted file that differ from the copy; equal ones are not compared again.
  private(set) var differing: [SyncPath: Differing] = [:]
  /// The IDs in texts of this batch, which Emacs might find before the entry itself.
  private var toldIDs: Set<Bytes> = []
  /// The files whose first edit of this batch is planned, and needs no protection of the stamp.
  var stamped: Set<SyncPath> = []

  /// Identifies an entry in the wanted versions.
  struct Identity: Hashable {
    var path: SyncPath
    var place: Int
  }

  /// The entries by kind of difference, in file order.
  struct Differing {
    var changed: [Identity] = []
    var moved: [Identity] = []
    var added: [Identity] = []
  }

  struct Options: Sendable {
    /// The file whose new entries are captures.
    var inbox: SyncPath?
    /// What happens to an entry that was removed.
    var removal = Removal.archive
    /// The task states for files that declare none.
    var todoLines: [String] = []
    /// The device's name, for notes.
    var device = ""
  }

  /// What happens on the desktop to an entry that was removed in the store.
  enum Removal: String, CaseIterable, Sendable {
    case archive, delete, flag
  }

  init(_ changes: [Change], _ options: Options) {
    self.options = options
    let changes = changes.sorted { $0.path < $1.path }
    files = OrgFiles([:], todoLines: options.todoLines)
    for change in changes {
      let old = OrgDocument(change.old?.withoutCarriageReturns ?? [], todoKeywords: options.todoLines)
      let new = OrgDocument(change.new.withoutCarriageReturns, todoKeywords: options.todoLines)
      if change.old != nil { files[change.path] = old }
      wanted[change.path] = new
      identities[change.path] = Self.identities(of: old, in: new, change.path)
    }
    followBetweenFiles()
    compare()
    let ordinary = changes.filter { $0.path != options.inbox }
    for change in ordinary { renameCounted(in: change.path) }
    for change in ordinary { changeValues(in: change.path) }
    for change in ordinary { addEntries(in: change.path) }
    for change in ordinary { moveEntries(in: change.path) }
    for change in ordinary { removeEntries(from: change.path) }
    for change in ordinary { rename(in: change.path) { _ in true } }
    for change in ordinary { noteRemainder(of: change) }
    for change in changes where change.path == options.inbox { capture(change) }
  }

  private static func identities(of old: OrgDocument, in new: OrgDocument, _ path: SyncPath) -> [Identity?] {
    let pairs = OrgPairs(from: old, to: new)
    var identities: [Identity?] = Array(repeating: nil, count: old.entries.count)
    for place in new.entries.indices {
      if let former = pairs.oldPlace(ofNew: place) { identities[former] = Identity(path: path, place: place) }
    }
    return identities
  }

  // MARK: The copy

  /// Returns the entry of the copy that corresponds to a wanted one.
  func current(_ identity: Identity) -> (path: SyncPath, entry: OrgEntry)? {
    for path in [identity.path] + identities.keys.sorted().filter({ $0 != identity.path }) {
      guard let place = identities[path]?.firstIndex(of: identity) else { continue }
      return files[path].map { (path, $0.entries[place]) }
    }
    return nil
  }

  func wanted(_ identity: Identity) -> OrgEntry? { wanted[identity.path]?.entries[identity.place] }

  /// Adds a request for Emacs and applies it to the copy; returns false if Emacs would reject it.
  mutating func request(_ edit: Edit, in path: SyncPath) -> Bool {
    var copy = files
    guard (try? copy.apply(edit)) != nil else { return false }
    protectStamp(edit, in: path)
    files = copy
    for line in (edit.old + edit.new).textLines.map(\.trimmed)
    where Bytes(line.prefix(4)).equals(ignoringCase: ":id:".utf8) {
      toldIDs.insert(Bytes(line.dropFirst(4)).trimmed)
    }
    requests.append(edit.bytes)
    return true
  }

  mutating func append(_ request: Bytes) { requests.append(request) }

  /// Returns the link to send for an entry: its ID, which is stable, unless a text of this batch contains the same ID, which
  /// Emacs would find first; otherwise the outline path.
  func link(to entry: OrgEntry, in path: SyncPath) -> EntryLink? {
    let outline = files.outlineLink(to: entry, in: path)
    guard let id = entry.id, !id.isEmpty, files.isUnique(id: id) else { return outline }
    let byID = EntryLink.id(Bytes(id.utf8))
    return tellsText(of: entry, in: path) ? outline ?? byID : byID
  }

  /// Returns true if an edit of this batch contains the text of this entry, or created it.
  private func tellsText(of entry: OrgEntry, in path: SyncPath) -> Bool {
    if let id = entry.id, toldIDs.contains(Bytes(id.utf8)) { return true }
    guard let identity = identities[path]?[entry.place], let wanted = wanted(identity) else { return false }
    return BodyKey(wanted.text) != BodyKey(entry.text)
  }

  /// Protects the stamp: Emacs stamps a file before its first change, and loses its position if the entry is where the stamp is
  /// inserted (measured from 9.3 to 9.8). Then an edit without effect comes first.
  private mutating func protectStamp(_ edit: Edit, in path: SyncPath) {
    guard stamped.insert(path).inserted, let document = files[path],
      case .success(let location) = files.location(of: edit.link), let index = location.entry
    else { return }
    let entry = document[index]
    guard StampLine.isInTheWay(of: document.bytes.lineNumber(of: entry.bytes.startIndex), in: document.bytes) else {
      return
    }
    requests.append(
      Edit(kind: .heading, link: edit.link, title: entry.heading, old: entry.heading, new: entry.heading).bytes)
  }

  /// Finds entries that moved to another file: by the same ID, or the same text.
  private mutating func followBetweenFiles() {
    guard wanted.count > 1 else { return }
    var arrivals: [Bytes: [Identity]] = [:]
    for (path, document) in wanted {
      let known = Set(identities[path, default: []].compactMap { $0?.place })
      for entry in document.entries where !known.contains(entry.place) {
        arrivals[Self.trait(of: entry), default: []].append(Identity(path: path, place: entry.place))
      }
    }
    for path in identities.keys.sorted() {
      guard let document = files[path] else { continue }
      for entry in document.entries where identities[path]?[entry.place] == nil {
        guard let found = arrivals[Self.trait(of: entry)], found.count == 1 else { continue }
        identities[path]?[entry.place] = found[0]
        arrivals[Self.trait(of: entry)] = nil
      }
    }
  }

  /// Finds the entries that differ.
  private mutating func compare() {
    var known: Set<Identity> = []
    for path in identities.keys.sorted() {
      for (place, identity) in identities[path, default: []].enumerated() {
        guard let identity, let old = files[path]?.entries[place], let new = wanted(identity) else { continue }
        known.insert(identity)
        if !old.saysTheSame(as: new) { differing[identity.path, default: Differing()].changed.append(identity) }
        if !isBelowItsParent(old, in: path, identity, new) {
          differing[identity.path, default: Differing()].moved.append(identity)
        }
      }
    }
    for (path, document) in wanted {
      differing[path, default: Differing()].changed.sort { $0.place < $1.place }
      differing[path, default: Differing()].moved.sort { $0.place < $1.place }
      differing[path, default: Differing()].added = document.entries.indices.map { Identity(path: path, place: $0) }
        .filter { !known.contains($0) }
    }
  }

  /// Returns true if an entry of the copy has its new parent.
  func isBelowItsParent(_ entry: OrgEntry, in path: SyncPath, _ identity: Identity, _ wanted: OrgEntry) -> Bool {
    guard path == identity.path else { return false }
    guard let parent = entry.parent, let other = wanted.parent else {
      return entry.parent == nil && wanted.parent == nil
    }
    return identities[path]?[parent.place] == Identity(path: identity.path, place: other.place)
  }

  private static func trait(of entry: OrgEntry) -> Bytes {
    entry.id.map { Bytes("id \($0)".utf8) } ?? Bytes(entry.bytes.drop { $0 == UInt8(ascii: "*") })
  }
}

extension OrgEntry {
  /// Returns true if headline and text are equal, regardless of the level.
  fileprivate func saysTheSame(as other: OrgEntry) -> Bool {
    bytes.drop { $0 == UInt8(ascii: "*") }.elementsEqual(other.bytes.drop { $0 == UInt8(ascii: "*") })
  }
}

extension [UInt8] {
  var withoutCarriageReturns: Bytes { contains(0x0D) ? filter { $0 != 0x0D } : self }

  /// The zero-based number of the line that contains a byte.
  func lineNumber(of offset: Int) -> Int { self[..<offset].count { $0 == UInt8(ascii: "\n") } }
}
