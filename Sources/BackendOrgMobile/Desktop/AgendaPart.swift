internal import OrgKit
internal import SyncKit

/// The entries of one file in the agenda views. Pure.
struct AgendaPart: Sendable {
  /// For each view its sections, either days or a single list, with their entries.
  private(set) var views: [[[AgendaItem]]]

  init(_ document: OrgDocument, at path: SyncPath, _ views: [AgendaView], today: OrgDay) {
    self.views = views.map { Array(repeating: [], count: $0.sections) }
    let matches = views.map { view in
      if case .match(let text) = view { OrgMatch(text) } else { OrgMatch?.none }
    }
    var links = LinkTable(path)
    for entry in document.entries {
      let dates = OrgDates(entry)
      let isOpen = entry.keyword != nil && !entry.isDone
      let matching = matches.map { $0?.selects(entry) ?? false }
      guard !dates.isEmpty || isOpen || matching.contains(true), !entry.isSetAside else { continue }
      let shown = AgendaEntry(entry, file: path, link: links.link(to: entry))
      for (index, view) in views.enumerated() {
        switch view {
        case .days(let count): add(shown, dates, to: index, count, today)
        case .todo: if isOpen { self.views[index][0].append(shown.listed) }
        case .match: if matching[index] { self.views[index][0].append(shown.listed) }
        }
      }
    }
    // A stable sort keeps the file's order of equals.
    self.views = self.views.map { sections in sections.map { items in items.sorted { $0.rank < $1.rank } } }
  }

  private mutating func add(_ entry: AgendaEntry, _ dates: OrgDates, to view: Int, _ count: Int, _ today: OrgDay) {
    guard !dates.isEmpty else { return }
    for section in 0..<count {
      let day = today.advanced(by: section)
      views[view][section] += dates.occasions(on: day, today: today).map {
        entry.item(for: $0, isToday: section == 0)
      }
    }
  }
}

extension AgendaView {
  /// The number of sections in the view.
  fileprivate var sections: Int {
    if case .days(let count) = self { count } else { 1 }
  }
}

/// Finds the links with which phones refer to the entries of a file: the ID, otherwise the outline path if it is unambiguous.
private struct LinkTable {
  private let path: SyncPath
  /// The number of siblings with each title, by the position of their parent.
  private var siblings: [Int: [TitleKey: Int]] = [:]

  init(_ path: SyncPath) { self.path = path }

  mutating func link(to entry: OrgEntry) -> Bytes? {
    if let id = entry.id, !id.isEmpty { return Bytes(id.utf8) }
    var (titles, step) = ([Bytes](), OrgEntry?.some(entry))
    while let current = step {
      guard isOnlyOne(current) else { return nil }
      titles.insert(current.heading, at: 0)
      step = current.parent
    }
    return EntryLink.outline(file: path.bytes, path: titles).bytes
  }

  private mutating func isOnlyOne(_ entry: OrgEntry) -> Bool {
    let parent = entry.parent
    let isOneDeeper = entry.level == (parent?.level ?? 0) + 1
    guard isOneDeeper, !entry.heading.isEmpty, entry.priority?.utf8.count ?? 1 == 1 else { return false }
    let place = parent?.place ?? -1
    if siblings[place] == nil {
      let others = (parent?.children ?? entry.document.topLevelEntries).filter { $0.level == entry.level }
      siblings[place] = Dictionary(others.map { (TitleKey($0.heading), 1) }, uniquingKeysWith: +)
    }
    return siblings[place]?[TitleKey(entry.heading)] == 1
  }
}
