internal import OrgKit
internal import SyncKit

/// Plans additions, moves and removals of entries.
extension EditPlan {
  /// Adds new entries as the last children of their parents, from the top down, so that each finds its parent.
  mutating func addEntries(in path: SyncPath) {
    for identity in differing[path]?.added ?? [] {
      guard let entry = wanted(identity), Self.text(of: entry).isEditValue, !entry.heading.isEmpty else { continue }
      add(entry, identity)
    }
  }

  private mutating func add(_ entry: OrgEntry, _ identity: Identity) {
    var target = EntryLink.outline(file: identity.path.bytes, path: [])
    var parentPlace: (path: SyncPath, entry: OrgEntry)?
    if let parent = entry.parent {
      guard let found = current(Identity(path: identity.path, place: parent.place)),
        let link = link(to: found.entry, in: found.path)
      else { return }
      (target, parentPlace) = (link, found)
    }
    let path = parentPlace?.path ?? identity.path
    let place = placeOfAddition(below: parentPlace?.entry, in: path)
    let title = parentPlace?.entry.heading ?? path.bytes
    guard request(Edit(kind: .addheading, link: target, title: title, new: Self.text(of: entry)), in: path) else {
      return
    }
    identities[path, default: []].insert(identity, at: place)
  }

  /// The position of a new last child in the copy: after everything below the parent.
  private func placeOfAddition(below parent: OrgEntry?, in path: SyncPath) -> Int {
    parent.map { $0.place + $0.subtreeCount } ?? files[path]?.entries.count ?? 0
  }

  /// The headline without stars, and the text below it without trailing blank lines.
  private static func text(of entry: OrgEntry) -> Bytes {
    let text = Bytes(entry.bytes).withoutCarriageReturns
    return Bytes(Bytes(text.drop { $0 == UInt8(ascii: "*") }).withoutOuterBlanks)
  }

  /// Refiles an entry that has another parent. The target must exist, and is given as an outline path, because Emacs deletes
  /// the entry if it does not know the target's ID (measured).
  mutating func moveEntries(in path: SyncPath) {
    for identity in differing[path]?.moved ?? [] {
      guard let wanted = wanted(identity), let (path, entry) = current(identity),
        !isBelowItsParent(entry, in: path, identity, wanted)
      else { continue }
      let parent = wanted.parent.map { Identity(path: identity.path, place: $0.place) }
      move(entry, in: path, below: parent, of: identity.path)
    }
  }

  private mutating func move(_ entry: OrgEntry, in path: SyncPath, below parent: Identity?, of file: SyncPath) {
    var target = EntryLink.outline(file: file.bytes, path: [])
    var (targetPath, targetEntry) = (file, OrgEntry?.none)
    if let parent {
      guard let found = current(parent), let link = files.outlineLink(to: found.entry, in: found.path) else { return }
      (target, targetPath, targetEntry) = (link, found.path, found.entry)
    }
    guard let link = link(to: entry, in: path) else { return }
    let moved = entry.place..<entry.place + entry.subtreeCount
    let edit = Edit(kind: .refile, link: link, title: entry.heading, new: target.bytes)
    let arrival = placeOfAddition(below: targetEntry, in: targetPath)
    guard request(edit, in: path), let carried = identities[path]?[moved] else { return }
    identities[path]?.removeSubrange(moved)
    let isBehind = targetPath == path && arrival >= moved.upperBound
    identities[targetPath, default: []].insert(contentsOf: carried, at: isBehind ? arrival - moved.count : arrival)
  }

  /// Removes entries that are not in the wanted files, one per subtree; entries that stay have been moved away before.
  mutating func removeEntries(from path: SyncPath) {
    var place = 0
    while let count = identities[path]?.count, place < count {
      guard identities[path]?[place] == nil, let entry = files[path]?.entries[place],
        let subtree = identities[path]?[place..<place + entry.subtreeCount], subtree.allSatisfy({ $0 == nil }),
        remove(entry, from: path)
      else {
        place += 1
        continue
      }
      identities[path]?.removeSubrange(place..<place + entry.subtreeCount)
    }
  }

  private mutating func remove(_ entry: OrgEntry, from path: SyncPath) -> Bool {
    guard let link = link(to: entry, in: path) else { return false }
    let kind: Edit.Kind
    switch options.removal {
    case .archive: kind = .archive
    case .delete: kind = .delete
    case .flag: return false
    }
    return request(Edit(kind: kind, link: link, title: entry.heading), in: path)
  }
}

extension [UInt8] {
  /// The text without leading spaces and trailing white space.
  var withoutOuterBlanks: Bytes {
    let start = firstIndex { $0 != 0x20 } ?? endIndex
    let end = lastIndex { !$0.isWhite } ?? start - 1
    return start <= end ? Bytes(self[start...end]) : []
  }
}
