extension OrgEntry {
  /// The scheduled date.
  public var scheduled: OrgTimestamp? { timestamp(.scheduled) }

  /// Changes the scheduled date; nil removes it.
  public mutating func setScheduled(_ date: OrgTimestamp?) throws(OrgEditError) {
    try set(.scheduled, .scheduled, date)
  }

  /// The deadline.
  public var deadline: OrgTimestamp? { timestamp(.deadline) }

  /// Changes the deadline; nil removes it.
  public mutating func setDeadline(_ date: OrgTimestamp?) throws(OrgEditError) {
    try set(.deadline, .deadline, date)
  }

  /// The time at which the task was closed.
  public var closed: OrgTimestamp? { timestamp(.closed) }

  /// Changes the closing time; nil removes it.
  public mutating func setClosed(_ date: OrgTimestamp?) throws(OrgEditError) {
    try set(.closed, .closed, date)
  }

  private func timestamp(_ kind: Planning.Kind) -> OrgTimestamp? {
    planningLine?[kind].flatMap { OrgTimestamp($0) }
  }

  private mutating func set(
    _ field: OrgEditError.Field, _ kind: Planning.Kind, _ new: OrgTimestamp?
  ) throws(OrgEditError) {
    if new == timestamp(kind) { return }
    guard new?.exists ?? true else {
      throw OrgEditError(field: field, value: new?.description, reason: .notATimestamp)
    }
    try change(field, to: new?.description, set: { $0.dates[kind] = new }, write: { $0.write(kind, new) })
  }

  private mutating func write(_ kind: Planning.Kind, _ new: OrgTimestamp?) {
    let item = planningLine?.items?.first { $0.kind == kind }
    switch (item, new) {
    case (.some(let item), .some(let new)):
      document.replace(item.timestamp.startIndex..<item.timestamp.endIndex, with: Array(new.description.utf8))
    case (.some(let item), .none): remove(item)
    case (.none, .some(let new)): insert(kind, new)
    case (.none, .none): break
    }
  }

  private mutating func remove(_ item: Planning.Item) {
    guard let line = planningLine, let items = line.items else { return }
    if items.count == 1 {
      document.remove(line: line.line)
    } else if item.keyword.startIndex == items[0].keyword.startIndex {
      document.replace(item.keyword.startIndex..<items[1].keyword.startIndex, with: [])
    } else {
      let start = document.bytes[line.line.startIndex..<item.keyword.startIndex].trimmedRight.endIndex
      document.replace(start..<item.timestamp.endIndex, with: [])
    }
  }

  /// Inserts a date in Org's order: CLOSED, DEADLINE, SCHEDULED.
  private mutating func insert(_ kind: Planning.Kind, _ new: OrgTimestamp) {
    let text = Array("\(kind.word) \(new)".utf8)
    guard let items = planningLine?.items else {
      document.insert(lines: [text], at: sectionStart)
      return
    }
    if let next = items.first(where: { $0.kind > kind }) {
      document.replace(next.keyword.startIndex..<next.keyword.startIndex, with: text + [.space])
    } else if let last = items.last {
      document.replace(last.timestamp.endIndex..<last.timestamp.endIndex, with: [.space] + text)
    }
  }

  /// The position at which the section begins, or would begin.
  var sectionStart: Int {
    let node = document.outline.nodes[index.node]
    return min(node.headlineEnd + 1, node.end)
  }
}
