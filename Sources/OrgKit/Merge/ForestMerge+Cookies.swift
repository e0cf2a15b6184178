extension ForestMerge {
  /// Counts the cookies of a title again if a side changed the counted items.
  mutating func countCookies(of entity: Int) {
    let nodes = table.entities[entity]
    guard nodes.ours != nil, nodes.theirs != nil,
      !table.isSame(entity, .ours, .base) || !table.isSame(entity, .theirs, .base)
    else { return }
    let lines = nodes.zip(table.outlines).map { node, outline in node.map { outline.headline($0) } }
    guard lines.sides.contains(where: { $0?.contains(UInt8(ascii: "[")) ?? false }),
      lines.ours != lines.base || lines.theirs != lines.base
    else { return }
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

  /// Returns the progress of the checkboxes if there are any and `COOKIE_DATA` does not ask for tasks, otherwise of the
  /// children with a keyword.
  private static func progress(_ section: Section, children: [Bytes?], _ keywords: Keywords) -> Progress? {
    let countsTasks = section.drawer?["cookie_data"]?.words.contains { $0.equals(ignoringCase: "todo") } ?? false
    let lists = section.blocks.filter { $0.kind == .list }.flatMap { ListItem.items(of: $0.body) }
    if !countsTasks, let progress = lists.progress { return progress }
    let states = children.compactMap(\.self)
    return states.isEmpty ? nil : Progress(done: states.count(where: keywords.isDone), all: states.count)
  }
}
