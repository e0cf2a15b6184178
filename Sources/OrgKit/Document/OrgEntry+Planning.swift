extension OrgEntry {
  /// When to begin; setting nil removes the date.
  public var scheduled: OrgTimestamp? {
    get { timestamp(.scheduled) }
    set { set(.scheduled, newValue) }
  }

  /// When to be done; setting nil removes the date.
  public var deadline: OrgTimestamp? {
    get { timestamp(.deadline) }
    set { set(.deadline, newValue) }
  }

  /// When the task was closed; setting nil removes the date.
  public var closed: OrgTimestamp? {
    get { timestamp(.closed) }
    set { set(.closed, newValue) }
  }

  private func timestamp(_ kind: Planning.Kind) -> OrgTimestamp? {
    planningLine?[kind].flatMap { OrgTimestamp($0) }
  }

  private mutating func set(_ kind: Planning.Kind, _ new: OrgTimestamp?) {
    guard new != timestamp(kind) else { return }
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

  /// Puts a date where Org puts it: CLOSED, DEADLINE, SCHEDULED.
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

  /// Where the section begins, or would begin.
  var sectionStart: Int {
    let node = document.outline.nodes[index.node]
    return min(node.headlineEnd + 1, node.end)
  }
}
