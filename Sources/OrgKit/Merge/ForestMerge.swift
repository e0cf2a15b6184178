/// Merges a file, or several files as one forest, and writes the result of each.
struct ForestMerge {
  let table: EntityTable
  let structure: StructureMerge
  private let options: OrgMerge.Options
  /// What became of every living entity.
  private var contents: [Content]
  private(set) var decisions: [OrgMerge.Decision] = []

  /// An entry in the result: as one version has it, or put together.
  private enum Content {
    case verbatim(Version)
    case merged(MergedEntry)
  }

  /// Merges all versions of some files; `files` tells which roots are the same file.
  init(
    _ outlines: Three<Outline>, files: [Three<Int?>], fileNames: [Int: String] = [:], options: OrgMerge.Options
  ) {
    self.options = options
    let usual = Keywords(declared: [options.keywords])
    table = EntityTable(outlines, files: files, keywords: Keywords(of: outlines.all, otherwise: usual))
    structure = StructureMerge(table, fileNames: fileNames)
    contents = Array(repeating: .verbatim(.base), count: table.entities.count)
    for entity in contents.indices where structure.isAlive[entity] { contents[entity] = content(of: entity) }
    for entity in contents.indices where structure.isAlive[entity] { countCookies(of: entity) }
    for (entity, conflicts) in structure.conflicts where structure.isAlive[entity] { flag(entity, conflicts) }
  }

  /// Whether nothing in the file is left to a person.
  func isClean(file: Int) -> Bool { !members(of: file).contains(where: isInConflict) }

  /// The entities of a file in the order of the result.
  func members(of file: Int) -> [Int] {
    var members: [Int] = []
    var pending = [file]
    while let entity = pending.popLast() {
      members.append(entity)
      pending += structure.children[entity].reversed()
    }
    return members
  }

  /// Whether every entry of a file is there, or was deleted by a side that had seen its latest text, and every merged
  /// entry has all that either side wrote.
  func isConserving(file: Int) -> Bool {
    let members = members(of: file)
    let derived = decisions.filter { $0.kind == .derived }.compactMap(\.dropped)
    return Set(members).count == members.count
      && members.allSatisfy { structure.isAlive[$0] && hasAllText($0, derived: derived) }
  }

  /// Whether the text of a file reads as the tree that it was written from.
  func isTree(_ text: [UInt8], of file: Int) -> Bool {
    guard case .org = options.style else { return true }
    let levels = members(of: file).map { structure.levels[$0] }
    return Outline(text).nodes.map(\.level) == levels + (isInConflict(file) ? [1] : [])
  }

  /// Whether all entries that remain are in one of the files.
  var isComplete: Bool {
    let files = table.entities.indices.filter { structure.isFile($0) && structure.isAlive[$0] }
    return files.reduce(0) { $0 + members(of: $1).count } == structure.isAlive.count { $0 }
  }

  private func hasAllText(_ entity: Int, derived: [String]) -> Bool {
    guard case .merged(let entry) = contents[entity] else { return true }
    var written = MarkedText(lineEnd: [.newline])
    write(entry, level: structure.levels[entity], to: &written)
    written.append(lines: entry.headline == nil ? conflictDrawer(entry.conflicts, indentation: []) : [])
    let nodes = table.entities[entity].zip(table.outlines)
    let texts = nodes.map { node, outline in node.map { outline.entry($0) } }
    guard let ours = texts.ours ?? texts.theirs, let theirs = texts.theirs ?? texts.ours else { return true }
    return Conservation(
      base: texts.base ?? [], ours: ours, theirs: theirs, merged: written.bytes[...], derived: derived
    ).holds
  }

  private func isInConflict(_ entity: Int) -> Bool {
    if case .merged(let entry) = contents[entity] { entry.isInConflict } else { false }
  }
}

// MARK: - Contents

extension ForestMerge {
  private mutating func content(of entity: Int) -> Content {
    let nodes = table.entities[entity]
    guard nodes.ours != nil, nodes.theirs != nil else {
      return .verbatim(nodes.ours != nil ? .ours : nodes.theirs != nil ? .theirs : .base)
    }
    let texts = nodes.zip(table.outlines).map { node, outline in node.map { outline.entryWithoutStars($0) } }
    if texts.theirs == texts.base || texts.ours == texts.theirs { return .verbatim(.ours) }
    if texts.ours == texts.base { return .verbatim(.theirs) }
    let sections = nodes.zip(table.outlines).map { node, outline in node.map { outline.section($0) } }
    let (entry, decisions) = EntryMerge.merge(
      headlines(of: entity), sections, keywords: table.keywords, options: options)
    note(decisions, in: entity)
    return .merged(entry)
  }

  private func headlines(of entity: Int) -> Three<Headline?> {
    table.entities[entity].zip(table.outlines).map { node, outline in
      node.flatMap { outline.nodes[$0].level == 0 ? nil : Headline(outline.headline($0), keywords: table.keywords) }
    }
  }

  private mutating func note(_ new: [OrgMerge.Decision], in entity: Int) {
    if new.isEmpty { return }
    let version: Version = table.entities[entity].ours != nil ? .ours : .theirs
    let path = table.path(of: entity, in: version).map(\.string)
    decisions += new.map { decision in
      var decision = decision
      decision.entry = path
      return decision
    }
  }

  /// Notes that both sides renamed a file, to different paths; the first one stands.
  mutating func flagRename(of file: Int, from paths: [String]) {
    flag(file, [FieldConflict(.file, "file".utf8, standing: Array(paths[0].utf8), other: Array(paths[1].utf8))])
  }

  private mutating func flag(_ entity: Int, _ conflicts: [FieldConflict]) {
    var entry = takenApart(entity)
    entry.conflicts = (conflicts + entry.conflicts)
    contents[entity] = .merged(entry)
    note(
      conflicts.map { conflict in
        OrgMerge.Decision(
          .flagged, field: conflict.name.string, kept: conflict.choices[0].value?.string,
          dropped: conflict.choices[1].value?.string)
      }, in: entity)
  }

  /// The content as parts that can be changed.
  private func takenApart(_ entity: Int) -> MergedEntry {
    switch contents[entity] {
    case .merged(let entry): return entry
    case .verbatim(let version):
      guard let node = table.entities[entity][version] else { return MergedEntry() }
      let headlines = headlines(of: entity)
      let section = Section(table.outlines[version].section(node), isPreamble: headlines[version] == nil)
      let head = section.headLines
      return MergedEntry(
        headline: headlines[version].map { MergedHeadline($0, among: headlines) }, head: Piece.lines(head),
        body: Piece.lines(section.blocks.flatMap { $0.gap + $0.lines }))
    }
  }
}

extension Section {
  /// Planning line and property drawer.
  fileprivate var headLines: [Bytes] {
    (planning.map { [$0.line] } ?? []) + (drawer.map { Array($0.lines) } ?? [])
  }
}

// MARK: - Cookies

extension ForestMerge {
  /// Counts the cookies of a title anew if a side changed them.
  private mutating func countCookies(of entity: Int) {
    let nodes = table.entities[entity]
    guard nodes.ours != nil, nodes.theirs != nil else { return }
    let lines = nodes.zip(table.outlines).map { node, outline in node.map { outline.headline($0) } }
    guard lines.ours?.contains(UInt8(ascii: "[")) ?? false, lines.ours != lines.base || lines.theirs != lines.base
    else {
      return
    }
    var entry = takenApart(entity)
    guard var headline = entry.headline, Cookie(in: headline.title) != nil else { return }
    let cookies = CookieMerge(
      texts: headlines(of: entity).map { $0?.title },
      progress: Three(base: nil, ours: progress(of: entity, in: .ours), theirs: progress(of: entity, in: .theirs)),
      merged: progress(of: entity, as: entry))
    let title = cookies.set(in: headline.title)
    if title == headline.title { return }
    (headline.title, headline.line) = (title, nil)
    entry.headline = headline
    contents[entity] = .merged(entry)
  }

  private func progress(of entity: Int, in version: Version) -> Progress? {
    guard let node = table.entities[entity][version] else { return nil }
    let outline = table.outlines[version]
    let section = Section(outline.section(node), isPreamble: false)
    let keywords = outline.children(of: node).map {
      Headline(outline.headline($0), keywords: table.keywords).keyword
    }
    return Self.progress(section, children: keywords, table.keywords)
  }

  private func progress(of entity: Int, as entry: MergedEntry) -> Progress? {
    let lines = (entry.head + entry.body).flatMap(\.shown)
    let section = Section(Array(lines.joined(separator: [.newline]))[...], isPreamble: false)
    let keywords = structure.children[entity].map { takenApart($0).headline?.keyword }
    return Self.progress(section, children: keywords, table.keywords)
  }

  /// The boxes of the lists if there are any and nothing else is asked for, else the children that have a keyword.
  private static func progress(_ section: Section, children: [Bytes?], _ keywords: Keywords) -> Progress? {
    let countsTasks = section.drawer?["cookie_data"]?.words.contains { $0.equals(ignoringCase: "todo") } ?? false
    let lists = section.blocks.filter { $0.kind == .list }.flatMap { ListItem.items(of: Array($0.body)) }
    if !countsTasks, let progress = lists.progress { return progress }
    let states = children.compactMap(\.self)
    return states.isEmpty ? nil : Progress(done: states.count(where: keywords.isDone), all: states.count)
  }
}

// MARK: - Writing

extension ForestMerge {
  /// The text of a file, without the blank lines at its end.
  func text(of file: Int) -> [UInt8] {
    var text = MarkedText(lineEnd: [.newline])
    var predecessor: Int?
    for entity in members(of: file) {
      if let predecessor { text.append(gap(above: entity, behind: predecessor)) }
      write(entity, to: &text)
      predecessor = entity
    }
    writeFileConflict(file, to: &text)
    return text.bytes
  }

  private func write(_ entity: Int, to text: inout MarkedText) {
    switch contents[entity] {
    case .verbatim(let version):
      guard let node = table.entities[entity][version] else { return }
      let outline = table.outlines[version]
      let level = outline.nodes[node].level
      if level == structure.levels[entity] {
        text.append(outline.entry(node))
      } else {
        text.append(Array(repeating: .star, count: structure.levels[entity]))
        text.append(outline.entry(node).dropFirst(level))
      }
    case .merged(let entry):
      switch options.style {
      case .org: write(entry, level: structure.levels[entity], to: &text)
      case .markers(let labels): write(entry, of: entity, labels, to: &text)
      }
    }
  }

  /// Writes an entry with its conflicts as tag, drawer and blocks.
  private func write(_ entry: MergedEntry, level: Int, to text: inout MarkedText) {
    if var headline = entry.headline {
      if entry.isInConflict { headline.add(tag: Array(options.tag.utf8)) }
      text.append(line: headline.bytes(level: level))
    }
    for piece in entry.head { text.append(lines: piece.shown) }
    if entry.headline != nil {
      text.append(lines: conflictDrawer(entry.conflicts, indentation: entry.head.last?.shown.last?.indentation ?? []))
    }
    for piece in entry.body { text.append(lines: piece.shown) }
  }

  private func conflictDrawer(_ conflicts: [FieldConflict], indentation: Bytes) -> [Bytes] {
    if conflicts.isEmpty { return [] }
    let sorted = conflicts.enumerated().sorted { ($0.element.field, $0.offset) < ($1.element.field, $1.offset) }
    let lines = [Array(":\(options.drawer):".utf8)] + sorted.flatMap(\.element.lines) + [Array(":END:".utf8)]
    return lines.map { indentation + $0 }
  }

  /// What a preamble cannot carry stands in an entry of its own at the end of the file.
  private func writeFileConflict(_ file: Int, to text: inout MarkedText) {
    guard case .org = options.style, case .merged(let entry) = contents[file], entry.isInConflict else { return }
    text.append(line: Array("* File conflict :\(options.tag):".utf8))
    text.append(lines: conflictDrawer(entry.conflicts, indentation: []))
  }

  /// Writes an entry with the lines in dispute between markers.
  private func write(_ entry: MergedEntry, of entity: Int, _ labels: LineMerge.Labels, to text: inout MarkedText) {
    let versions = table.entities[entity].zip(table.outlines)
    if entry.conflicts.contains(where: { $0.field == .entry }) {
      let texts = versions.map { node, outline in node.map { outline.entry($0) } ?? [] }
      text.append(LineMerge.Conflict(base: texts.base, ours: texts.ours, theirs: texts.theirs), labels)
      return
    }
    let isMoved = entry.conflicts.contains { $0.field == .parent }
    let headlines = versions.map { node, outline in node.map { [outline.headline($0)] } ?? [] }
    if let variants = entry.headline?.variants ?? (isMoved ? headlines : nil) {
      text.append(variants, labels)
    } else if let headline = entry.headline {
      text.append(line: headline.bytes(level: structure.levels[entity]))
    }
    for piece in entry.head + entry.body {
      switch piece {
      case .line(let line): text.append(line: line)
      case .disputed(_, let variants): text.append(variants, labels)
      }
    }
  }

  private func gap(above entity: Int, behind predecessor: Int) -> Bytes {
    let nodes = table.entities[entity]
    let gap = Gap(
      versions: Three(
        base: version(nodes.base, table.outlines.base, table.numbers.base),
        ours: version(nodes.ours, table.outlines.ours, table.numbers.ours),
        theirs: version(nodes.theirs, table.outlines.theirs, table.numbers.theirs)))
    return gap.merged(behind: predecessor) {
      [Version.ours, .theirs].compactMap { side in
        table.entities[predecessor][side].map { table.outlines[side].gapBehind($0) }
      }
    }
  }

  private func version(_ node: Int?, _ outline: Outline, _ numbers: [Int]) -> Gap.Version? {
    node.map { Gap.Version(lines: outline.gap($0), predecessor: $0 > 0 ? numbers[$0 - 1] : nil) }
  }
}

extension Outline {
  /// The blank lines below an entry, before the next one or the end of the text.
  func gapBehind(_ index: Int) -> Bytes {
    let end = index + 1 < nodes.count ? nodes[index + 1].start : text.count
    return text[nodes[index].end..<end]
  }
}

extension MarkedText {
  mutating func append(line: some Sequence<UInt8>) {
    append(line)
    append([.newline])
  }

  mutating func append(lines: [Bytes]) {
    for line in lines { append(line: line) }
  }

  mutating func append(_ variants: Three<[Bytes]>, _ labels: LineMerge.Labels) {
    let texts = variants.map { Array($0.map { $0 + [.newline] }.joined())[...] }
    append(LineMerge.Conflict(base: texts.base, ours: texts.ours, theirs: texts.theirs), labels)
  }
}
