/// Merges a file, or several files as one forest, and writes the result of each.
struct ForestMerge {
  let table: EntityTable
  let structure: StructureMerge
  let options: OrgMerge.Options
  /// The conflicts in the base that both sides resolved, by entry.
  let resolved: [Int: ResolvedConflicts]
  /// The result for every living entity.
  var contents: [Content]
  private(set) var decisions: [OrgMerge.Decision] = []
  /// The entries that one side deleted, or moved elsewhere, and the other moved here.
  var returned: [Int: Version] = [:]
  /// The merged entries that passed the proof, as they were then.
  var proved: [Int: MergedEntry] = [:]

  /// An entry in the result: unchanged from one version, or merged.
  enum Content {
    case verbatim(Version)
    case merged(MergedEntry)
  }

  /// Merges all versions of some files; `files` contains the corresponding roots.
  init(
    _ outlines: Three<Outline>, files: [Three<Int?>], fileNames: [Int: OrgMerge.Path] = [:], options: OrgMerge.Options
  ) {
    self.options = options
    let usual = Keywords(declared: [options.keywords])
    table = EntityTable(outlines, files: files, keywords: Keywords(of: outlines, otherwise: usual))
    resolved = table.resolvedConflicts(drawer: options.drawer)
    let reparented = Set(resolved.filter { $0.value.areAbout("parent".utf8) }.keys)
    structure = StructureMerge(
      table, fileNames: fileNames, reparented: reparented, decidedFor: options.style.side)
    contents = Array(repeating: .verbatim(.base), count: table.entities.count)
    for entity in contents.indices where structure.isAlive[entity] { contents[entity] = content(of: entity) }
    for entity in contents.indices where structure.isAlive[entity] { countCookies(of: entity) }
    flagUnproved()
    flagMoves()
    flagOpposed()
    flagTwins()
    keepUsedStates()
    keepCitedFootnotes()
    flagFootnotes()
    for (entity, conflicts) in structure.conflicts where structure.isAlive[entity] { flag(entity, conflicts) }
  }

  /// Returns true if the file has no conflicts.
  func isClean(file: Int) -> Bool { !members(of: file).contains(where: isInConflict) }

  /// Returns the entities of a file in the order of the result.
  func members(of file: Int) -> [Int] {
    var members: [Int] = []
    var pending = [file]
    while let entity = pending.popLast() {
      members.append(entity)
      pending += structure.children[entity].reversed()
    }
    return members
  }

  func isInConflict(_ entity: Int) -> Bool {
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
    if table.isSame(entity, .ours, .theirs) { return .verbatim(.ours) }
    if resolved[entity] == nil {
      if table.isSame(entity, .theirs, .base) { return .verbatim(.ours) }
      if table.isSame(entity, .ours, .base) { return .verbatim(.theirs) }
    }
    let (entry, decisions) = EntryMerge.merge(
      headlines(of: entity), sections(of: entity), resolved: resolved[entity], keywords: table.keywords,
      options: options)
    record(decisions, in: entity)
    return .merged(entry)
  }

  /// Returns the sections of an entry, without the conflicts that both sides resolved.
  func sections(of entity: Int) -> Three<Bytes?> {
    if let resolved = resolved[entity] { return resolved.sections.map(Optional.init) }
    return table.entities[entity].zip(table.outlines).map { node, outline in node.map { outline.section($0) } }
  }

  func headlines(of entity: Int) -> Three<Headline?> {
    table.entities[entity].zip(table.outlines).map { node, outline in
      node.flatMap { outline.nodes[$0].level == 0 ? nil : Headline(outline.headline($0), keywords: table.keywords) }
    }
  }

  mutating func record(_ new: [OrgMerge.Decision], in entity: Int) {
    if new.isEmpty { return }
    let version: Version = table.entities[entity].ours != nil ? .ours : .theirs
    let path = table.path(of: entity, in: version).map(\.string)
    decisions += new.map { decision in
      var decision = decision
      decision.entry = path
      return decision
    }
  }

  /// Records that both sides renamed a file to different paths; the first one is used.
  mutating func flagRename(of file: Int, from paths: [OrgMerge.Path]) {
    flag(file, [FieldConflict(.file, "file".utf8, standing: paths[0].bytes, other: paths[1].bytes)])
  }

  mutating func flag(_ entity: Int, _ conflicts: [FieldConflict]) {
    var entry = takenApart(entity)
    entry.conflicts = (conflicts + entry.conflicts)
    contents[entity] = .merged(entry)
    record(
      conflicts.map { conflict in
        OrgMerge.Decision(
          .flagged, field: conflict.name.string, kept: conflict.choices[0].value?.string,
          dropped: conflict.choices[1].value?.string)
      }, in: entity)
  }

  /// Returns the content as modifiable parts.
  func takenApart(_ entity: Int) -> MergedEntry {
    switch contents[entity] {
    case .merged(let entry): return entry
    case .verbatim(let version):
      guard let node = table.entities[entity][version] else { return MergedEntry() }
      let headlines = headlines(of: entity)
      let section = Section(table.outlines[version].section(node), isPreamble: headlines[version] == nil)
      return MergedEntry(
        headline: headlines[version].map { MergedHeadline($0, among: headlines) },
        head: Piece.lines(section.headLines), body: Piece.lines(section.bodyLines))
    }
  }
}

extension Section {
  /// The planning line and the property drawer.
  var headLines: [Bytes] {
    (planning.map { [$0.line] } ?? []) + (drawer.map { Array($0.lines) } ?? [])
  }

  /// All other lines.
  var bodyLines: [Bytes] { blocks.flatMap(\.whole) }
}
