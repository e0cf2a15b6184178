extension OrgAgenda {
  /// Returns the view of a key in `org-agenda-custom-commands`; nil if there is none.
  public func custom(_ key: String) throws(OrgQueryError) -> [OrgAgendaRow]? {
    guard
      let command = settings["org-agenda-custom-commands"]?.elements?.first(where: { $0.elements?.first?.text == key })?
        .elements
    else { return nil }
    // The description may be missing.
    let parts = command.dropFirst().drop { $0.text != nil }
    guard let kind = parts.first else { return nil }
    let rest = Array(parts.dropFirst())
    if let blocks = kind.elements, blocks.first?.elements != nil {
      let shared = Self.variables(rest.first)
      return try view(blocks.map { Block($0, shared: shared) })
    }
    let settings = Self.variables(rest.count > 1 ? rest[1] : nil)
    return try block(
      Block(kind: kind.symbol ?? "", argument: rest.first?.text ?? "", settings: settings), isAlone: true)
  }

  /// A block of a view.
  struct Block {
    var kind: String
    var argument: String
    var settings: [String: OrgValue]

    init(kind: String, argument: String, settings: [String: OrgValue]) {
      (self.kind, self.argument, self.settings) = (kind, argument, settings)
    }

    fileprivate init(_ value: OrgValue, shared: [String: OrgValue]) {
      let elements = value.elements ?? []
      kind = elements.first?.symbol ?? ""
      argument = elements.count > 1 ? elements[1].text ?? "" : ""
      settings = shared.merging(OrgAgenda.variables(elements.count > 2 ? elements[2] : nil)) { $1 }
    }
  }

  /// Returns several blocks with separators between them.
  func view(_ blocks: [Block]) throws(OrgQueryError) -> [OrgAgendaRow] {
    var rows: [OrgAgendaRow] = []
    for block in blocks {
      if !rows.isEmpty {
        rows.append(OrgAgendaRow(.line, heading: String(repeating: "=", count: AgendaLine.width)))
      }
      rows += try self.block(block, isAlone: false)
    }
    return rows
  }

  private func block(_ block: Block, isAlone: Bool) throws(OrgQueryError) -> [OrgAgendaRow] {
    var agenda = self.block(block.settings)
    agenda.isBlock = !isAlone
    switch block.kind {
    case "agenda": return agenda.days(from: agenda.startDay)
    case "alltodo": return agenda.todoList()
    case "todo": return agenda.todoList(states: block.argument.isEmpty ? nil : block.argument)
    case "tags": return try agenda.matches(block.argument)
    case "tags-todo": return try agenda.matches(block.argument, onlyTasks: true)
    case "search": return agenda.search(block.argument)
    case "stuck": return try agenda.stuck()
    default:
      throw OrgQueryError(column: 1, "block type \(block.kind) is unknown; use agenda, todo, tags, search or stuck")
    }
  }

  /// The first day of a block: `org-agenda-start-day` as a date or `+3d`.
  private var startDay: OrgDay? {
    guard let text = settings["org-agenda-start-day"]?.text else { return nil }
    if let day = OrgDay(iso: text) { return day }
    let unit = text.last == "w" ? 7 : 1
    let digits = text.last.map { "dw".contains($0) } ?? false ? text.dropLast() : text[...]
    return Int(written: digits).map { now.day.advanced(by: $0 * unit) }
  }

  /// The variables of a list such as `((org-agenda-span 1) (org-deadline-warning-days 3))`.
  private static func variables(_ list: OrgValue?) -> [String: OrgValue] {
    let pairs = list?.elements?.compactMap { element -> (String, OrgValue)? in
      guard let parts = element.elements, let name = parts.first?.symbol, parts.count > 1 else { return nil }
      // A quoted value is itself.
      if parts[1].elements?.first == .symbol("quote"), let value = parts[1].elements?.dropFirst().first {
        return (name, value)
      }
      return (name, parts[1])
    }
    return Dictionary(pairs ?? []) { $1 }
  }
}
