import SyncKit

/// Edits of one entry's text, and those that change what is selected.
extension EverydayWorld {
  /// Applies an edit of this kind. Returns false if this round has nothing left to apply it to.
  mutating func make(_ kind: EverydayEdit, _ side: Side) -> Bool {
    switch kind {
    case .text, .lineAbove, .replacedLine, .title, .state, .priority, .property, .logLine, .comment, .archived,
      .otherTag:
      editText(kind, side)
    case .intoSelection, .outOfSelection, .intoPrivate, .outOfPrivate: retag(kind, side)
    case .lastMatchGone: loseLastMatch(side)
    case .fileTags: editFileTags()
    case .newMatching: add(["mobile"], side)
    case .newPlain: add([], side)
    case .newPrivate: add(["private"], side)
    case .newSameTitle: add(chance(2) ? ["mobile"] : [], sameTitle: true, side)
    case .deletion: side == .local ? deleteAtHome() : deleteAway()
    case .move: side == .local ? moveAtHome(toOtherFile: false) : moveAway(toOtherFile: false)
    case .moveToOtherFile: side == .local ? moveAtHome(toOtherFile: true) : moveAway(toOtherFile: true)
    case .reorder: reorderAway()
    case .preamble: addAboveFirst(side)
    case .newFile: addNewFile(side)
    case .fileIntoHiddenFile: addAwayIntoHiddenFile()
    case .renamedFile: side == .local ? renameAtHome() : renameAway()
    case .deletedFile: side == .local ? deleteFileAtHome() : deleteFileAway()
    }
  }

  // MARK: Text

  private mutating func editText(_ kind: EverydayEdit, _ side: Side) -> Bool {
    guard let node = anEntry(side), let entry = truth.entries[node] else { return false }
    guard kind != .replacedLine || entry.body.count > 2,
      kind != .title || !entry.title.hasPrefix("Notes") || claimTitles(in: truth.file(of: node)), claimText(of: node)
    else { return false }
    let (newLine, newWord) = (line(), marker())
    let place = Int.random(in: 0..<max(1, entry.body.count), using: &random)
    change(side) { $0.entries[node]?.edit(kind, newLine, newWord, at: place) }
    story.append("\(side) \(kind) of \(node) in \(truth.file(of: node))")
    return true
  }

  // MARK: Tags

  private mutating func retag(_ kind: EverydayEdit, _ side: Side) -> Bool {
    let node = anEntry(side) { world, node in
      switch kind {
      case .intoSelection: !world.isPrivate(node) && !world.truth.tags(node).contains("mobile")
      case .outOfSelection: world.truth.entries[node]?.tags.contains("mobile") ?? false
      case .intoPrivate: !world.isPrivate(node)
      default: world.isPrivate(node) && !(world.truth.parents[node].map(world.isPrivate) ?? false)
      }
    }
    guard let node, let parent = truth.parents[node] else { return false }
    let file = truth.file(of: node)
    guard claim([list(below: parent), file], moving: node) else { return false }
    let excluding = truth.files[file]?.excluding ?? []
    let newTag = chance(3) ? "Private" : "private"
    change(side) { outlines in
      switch kind {
      case .intoSelection: outlines.entries[node]?.tags.append("mobile")
      case .outOfSelection: outlines.entries[node]?.tags.removeAll { $0 == "mobile" }
      case .intoPrivate: outlines.entries[node]?.tags.append(newTag)
      default: outlines.entries[node]?.tags.removeAll { excluding.contains($0) }
      }
    }
    story.append("\(side) \(kind) \(node) in \(file)")
    return true
  }

  /// Removes the tag from every entry of a file that the remote has.
  private mutating func loseLastMatch(_ side: Side) -> Bool {
    let file = anUntouchedFile(side) {
      $0.away.files[$1] != nil && $0.away.files.count > 2 && !($0.truth.files[$1]?.tags.contains("mobile") ?? false)
    }
    guard let file else { return false }
    close(file)
    for node in away.entries(in: file) { change(side) { $0.entries[node]?.tags.removeAll { $0 == "mobile" } } }
    story.append("\(side) loses the last match of \(file)")
    return true
  }

  private mutating func editFileTags() -> Bool {
    guard let file = anUntouchedFile(.local) else { return false }
    close(file)
    let old = truth.files[file]?.preamble.firstIndex { $0.hasPrefix("#+FILETAGS:") }
    let tag = chance(3) ? "private" : "mobile"
    change(.local) { outlines in
      if let old {
        outlines.files[file]?.preamble.remove(at: old)
      } else {
        outlines.files[file]?.preamble.insert("#+FILETAGS: :\(tag):", at: 0)
      }
    }
    story.append("home \(old == nil ? "sets" : "removes") the file tags of \(file)")
    return true
  }
}

extension Outlines.Entry {
  /// Makes an edit of the text that concerns nothing else.
  fileprivate mutating func edit(_ kind: EverydayEdit, _ line: String, _ marker: String, at place: Int) {
    switch kind {
    case .lineAbove: body.insert(line, at: 0)
    case .replacedLine: body[place] = line
    case .title: title = "\(title.split(separator: " ").prefix(3).joined(separator: " ")) \(marker)"
    case .state: state = state == "TODO" ? "DONE" : state == "DONE" ? "" : "TODO"
    case .priority: priority = priority.isEmpty ? "[#A]" : priority == "[#A]" ? "[#C]" : ""
    case .property: properties.append(":NOTE_\(properties.count): \(marker)")
    case .logLine: log.insert("- Note \(marker)", at: 0)
    case .comment: isComment.toggle()
    case .archived: toggle("ARCHIVE")
    case .otherTag: toggle("x")
    default: body.append(line)
    }
  }

  private mutating func toggle(_ tag: String) {
    if tags.contains(tag) { tags.removeAll { $0 == tag } } else { tags.append(tag) }
  }
}
