extension OrgEditor {
  /// Archives the entry.
  mutating func archive(_ archive: OrgArchive) throws(Refusal) {
    switch archive {
    case .subtree: try archiveSubtree()
    case .sibling: try archiveToSibling()
    case .tag: toggleTag(archiveTag, to: !tags(try entry()).contains(archiveTag), try entry())
    case .allDone: try archiveAll { editor, range in editor.hasNoOpenTask(range) ? "no open TODO items" : nil }
    case .allOld: try archiveAll { editor, range in editor.oldTimestamp(range) }
    }
  }

  private var archiveTag: String { context.settings.text("org-archive-tag", default: "ARCHIVE") }

  // MARK: Location

  /// The place that a subtree is archived to.
  private struct Location {
    let file: String
    /// The headline with its stars; nil if the subtree goes to the top level.
    var heading: String?
    /// The day of a date tree.
    var day: OrgDay?
    /// True if the headline is below the day.
    var isBelowDay = false
  }

  private mutating func archiveLocation(_ heading: Int) throws(Refusal) -> Location {
    let setting =
      inheritedProperty("ARCHIVE", heading) ?? options.lines("ARCHIVE").last
      ?? value("org-archive-location", default: "%s_archive::").text ?? "%s_archive::"
    guard let colons = setting.firstRange(of: "::") else {
      throw Refusal(.invalid, "Invalid archive location: \(setting)")
    }
    let name = buffer.path.split(separator: "/").last.map(String.init) ?? buffer.path
    let path = setting[..<colons.lowerBound].replacing("%s", with: name)
    var title = setting[colons.upperBound...].replacing("%s", with: name)
    guard let file = path.isEmpty ? buffer.path : files.relative(String(path), to: buffer.path) else {
      throw Refusal(.invalid, "the archive \(path) is not in the folder \(files.folder)")
    }
    var location = Location(file: file)
    if title.hasPrefix("datetree/") {
      let closed = inheritedPlanning(.closed, heading).flatMap { OrgTimestamp($0) }
      location.day = closed.map(\.date) ?? context.now.day
      title = title.dropFirst("datetree/".count)
      let stars = title.prefix { $0 == "*" }.count
      location.isBelowDay = stars > 0
      title = String(repeating: "*", count: 3 + stars) + title.dropFirst(stars)
    }
    let hasStars = title.hasPrefix("*")
    location.heading = hasStars ? String(title) : nil
    return location
  }

  /// Returns a planning date of the entry or of the nearest parent that has one.
  private func inheritedPlanning(_ kind: Planning.Kind, _ heading: Int) -> String? {
    buffer.ancestors(heading).reversed().lazy.compactMap { planningStamp(kind, $0) }.first
  }

  // MARK: Subtree

  private mutating func archiveSubtree() throws(Refusal) {
    let heading = try entry()
    let (source, mark) = (buffer.path, buffer.mark(entry: heading))
    let location = try archiveLocation(heading)
    let info = contextInfo(heading)
    let own = tags(heading)
    let inherited = inheritedTags(heading).filter { !own.contains($0) }
    let text = Array(buffer.text[heading..<buffer.subtreeEnd(heading)])
    let states = options.states
    try openArchive(location.file, from: source)
    let level = location.heading.map { $0.prefix { $0 == "*" }.count } ?? 0
    let pasted = pasteSubtree(
      text, at: archivePosition(location, level), level: level + 1, stays: location.day != nil)
    let new = buffer.mark(pasted)
    let addsTags = value("org-archive-subtree-add-inherited-tags", default: .symbol("infile"))
    if !inherited.isEmpty, addsTags == .yes || addsTags == .symbol("infile") && location.file == source {
      setTags(inherited + own, pasted)
    }
    try markDone(buffer[new], states)
    for (key, value) in info { putProperty(key, value, buffer[new]) }
    effects.append(.entry(file: location.file, line: buffer.lineNumber(buffer[new])))
    try open(source)
    let start = buffer.heading(at: mark)
    buffer.delete(start..<buffer.subtreeEnd(start))
    guard isOn("org-provide-todo-statistics", default: true) else { return }
    // Org goes up from the entry that is at this place now.
    guard let next = buffer.heading(containing: min(start, buffer.count)) else { return }
    self.heading = buffer.parent(next) ?? next
    try updateCookies(all: false)
  }

  /// The properties that record where the entry was.
  private mutating func contextInfo(_ heading: Int) -> [(String, String)] {
    let standard: OrgValue = [
      .symbol("time"), .symbol("file"), .symbol("olpath"), .symbol("category"), .symbol("todo"), .symbol("itags"),
    ]
    let names = value("org-archive-save-context-info", default: standard).elements?.compactMap(\.symbol) ?? []
    let own = tags(heading)
    let path = outlinePath(heading).dropLast().joined(separator: "/")
    let values: [String: String] = [
      "time": String(context.now.timestamp(isActive: false).description.dropFirst().dropLast()),
      "file": files.abbreviated(files.absolute(buffer.path)), "olpath": path, "category": category(heading),
      "todo": keyword(heading) ?? "",
      "itags": inheritedTags(heading).filter { !own.contains($0) }.joined(separator: " "),
      "ltags": own.joined(separator: " "),
    ]
    return names.compactMap { name in
      guard let value = values[name], !value.isEmpty else { return nil }
      return ("ARCHIVE_\(name.uppercased())", value)
    }
  }

  /// Opens the archive file; a new one gets its first lines.
  private mutating func openArchive(_ file: String, from source: String) throws(Refusal) {
    let isNew = !exists(file)
    try open(file, mayBeNew: true)
    guard isNew else { return }
    // Emacs names the mode in files whose name does not end in .org.
    if !file.hasSuffix(".org") { buffer.insert("#    -*- mode: org -*-\n\n", at: 0) }
    let format = value("org-archive-file-header-format", default: "\nArchived entries from file %s\n\n").text
    if let format { buffer.insert(format.replacing("%s", with: files.absolute(source)), at: buffer.count) }
  }

  /// Returns the position at which the subtree is inserted; the headline of the location is made if missing.
  private mutating func archivePosition(_ location: Location, _ level: Int) -> Int {
    let isReversed = isOn("org-archive-reversed-order")
    var range = 0..<buffer.count
    if let day = location.day {
      let node = dateTreeNode(day, .day, below: nil)
      range = node..<buffer.subtreeEnd(node)
    }
    if let title = location.heading, location.day == nil || location.isBelowDay {
      let heading = archiveHeading(title, range, isInTree: location.day != nil)
      if isReversed { return buffer.nextHeading(heading) }
      let end = buffer.skipWhiteSpaceBackwards(buffer.subtreeEnd(heading))
      let next = buffer.skipWhiteSpace(end)
      let gap = location.day != nil ? "\n" : "\n\n"
      buffer.replace(end..<next, with: gap)
      return end + gap.utf8.count
    }
    if isReversed {
      let first = buffer.level(at: range.lowerBound) != nil ? range.lowerBound : buffer.nextHeading(range.lowerBound)
      return first
    }
    let end = range.upperBound
    // The tree's part of the file ends before the line feed above the next headline.
    let needsLine = location.day == nil || !buffer.isLineStart(end) || buffer.level(at: end) != nil
    if needsLine { buffer.insert("\n", at: end) }
    return location.day != nil && buffer.isLineStart(end) ? end : end + (needsLine ? 1 : 0)
  }

  private mutating func archiveHeading(_ title: String, _ range: Range<Int>, isInTree: Bool) -> Int {
    let found = buffer.headings(in: range).first { heading in
      let parts = Headline(buffer.line(heading), keywords: Keywords(declared: []))
      let line = buffer.line(heading)
      let text = parts.tagText.map { line[..<$0.startIndex].trimmedRight } ?? line.trimmedRight
      return text.elementsEqual(title.utf8)
    }
    if let found { return found }
    var end = range.upperBound
    if end > 0, !buffer.isLineStart(end) {
      buffer.insert("\n", at: end)
      end += 1
    }
    let gap = isInTree ? "" : "\n"
    buffer.insert("\(gap)\(title)\n", at: end)
    return end + gap.utf8.count
  }

  private mutating func markDone(_ heading: Int, _ states: OrgStates) throws(Refusal) {
    let setting = value("org-archive-mark-done")
    let parts = Headline(buffer.line(heading), keywords: states.keywords)
    guard setting.isTrue, !states.isDone(parts.keyword?.string) else { return }
    let wanted = setting.text.flatMap { states[$0] } ?? states.states.first(where: \.isDone)
    guard let wanted else { return }
    let (file, saved) = (buffer.path, self.heading)
    overrides["org-log-done"] = OrgValue.none
    setStates(states, of: file)
    self.heading = heading
    try changeState(.state(wanted.name))
    overrides["org-log-done"] = nil
    self.heading = saved
  }

  // MARK: Sibling

  private mutating func archiveToSibling() throws(Refusal) {
    let heading = try entry()
    let level = buffer.level(at: heading) ?? 1
    let mark = buffer.mark(entry: heading)
    let parent = buffer.parent(heading)
    let title = value("org-archive-sibling-heading", default: "Archive").text ?? "Archive"
    let range = parent.map { $0..<buffer.subtreeEnd($0) } ?? 0..<buffer.count
    var sibling = buffer.headings(in: range).first { candidate in
      guard buffer.level(at: candidate) == level else { return false }
      let parts = Headline(buffer.line(candidate), keywords: Keywords(declared: []))
      return parts.title.elementsEqual(title.utf8) && parts.tags.first?.elementsEqual(archiveTag.utf8) ?? false
    }
    if sibling == nil {
      var end = range.upperBound
      if !buffer.isLineStart(end) {
        buffer.insert("\n", at: end)
        end += 1
      }
      buffer.insert("\(String(repeating: "*", count: level)) \(title)\n", at: end)
      toggleTag(archiveTag, to: true, end)
      sibling = end
    }
    guard let sibling else { return }
    let target = buffer.mark(
      isOn("org-archive-reversed-order") ? buffer.nextHeading(sibling) : buffer.subtreeEnd(sibling))
    let start = buffer.heading(at: mark)
    let text = Array(buffer.text[start..<buffer.subtreeEnd(start)])
    buffer.delete(start..<start + text.count)
    let pasted = pasteSubtree(text, at: buffer[target], level: level + 1)
    let time = context.now.timestamp(isActive: false).description.dropFirst().dropLast()
    putProperty("ARCHIVE_TIME", String(time), pasted)
    if let sibling = buffer.parent(pasted) { updateParentStatistics(sibling) }
  }

  // MARK: Many

  /// Archives the children for which `reason` returns a reason, each after a confirmation.
  private mutating func archiveAll(_ reason: (inout OrgEditor, Range<Int>) -> String?) throws(Refusal) {
    let parent = heading
    let level = parent.flatMap { buffer.level(at: $0) }.map { $0 + 1 } ?? 1
    let file = buffer.path
    var position = parent.map(buffer.nextHeading) ?? buffer.firstHeading
    while position < (parent.map(buffer.subtreeEnd) ?? buffer.count) {
      let end = buffer.subtreeEnd(position)
      guard buffer.level(at: position) == level, let reason = reason(&self, position..<end) else {
        position = buffer.level(at: position) == level ? end : buffer.nextHeading(position)
        continue
      }
      if try confirm("Move subtree to archive? (\(reason))") {
        heading = position
        try archiveSubtree()
        try open(file)
        if buffer.level(at: position) == nil { position = buffer.nextHeading(position) }
      } else {
        position = end
      }
    }
  }

  private mutating func hasNoOpenTask(_ range: Range<Int>) -> Bool {
    let states = options.states
    return !buffer.headings(in: range).contains { states.isOpen(keyword($0)) }
  }

  private func oldTimestamp(_ range: Range<Int>) -> String? {
    guard let stamp = buffer.text[range].firstTimestamp(isActive: true), let first = OrgTimestamp(stamp),
      first.date < context.now.day
    else { return nil }
    let behind = buffer.text[stamp.endIndex..<range.upperBound]
    if behind.starts(with: "--<".utf8), let other = behind.firstTimestamp(isActive: true),
      let last = OrgTimestamp(other)
    {
      return last.date < context.now.day ? "old timestamp \(stamp.string)--\(other.string)" : nil
    }
    return "old timestamp \(stamp.string)"
  }
}
