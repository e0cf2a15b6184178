/// Sorts the results of a query by its criteria; equal items keep their order, items without the value come last.
struct QueryOrder {
  private let criteria: [OrgQuery.Order]

  init(_ criteria: [OrgQuery.Order]) { self.criteria = criteria }

  func sorted(_ items: [OrgItem]) -> [OrgItem] {
    guard !criteria.isEmpty else { return items }
    return items.enumerated().sorted { left, right in
      for criterion in criteria {
        let order = compare(left.element, right.element, criterion)
        if order != 0 { return order < 0 }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func compare(_ left: OrgItem, _ right: OrgItem, _ criterion: OrgQuery.Order) -> Int {
    switch (key(of: left, criterion.key), key(of: right, criterion.key)) {
    case (.none, .none): 0
    case (.none, .some): 1
    case (.some, .none): -1
    case (.some(let left), .some(let right)):
      left == right ? 0 : (left < right) != criterion.isReversed ? -1 : 1
    }
  }

  /// A text that sorts like the value.
  private func key(of item: OrgItem, _ criterion: String) -> String? {
    switch criterion {
    case "book": item.book.lowercased()
    case "title": item.title.lowercased()
    case "scheduled": item.scheduled?.timestamp?.sortText
    case "deadline": item.deadline?.timestamp?.sortText
    case "closed": item.closed?.sortText
    case "event": (item.timestamps + item.ranges.map(\.first)).map(\.sortText).min()
    case "created": item[property: "CREATED"].flatMap { OrgTimestamp($0) }?.sortText
    case "priority": item.priority ?? "B"
    case "state": item.keyword
    default: item.file
    }
  }
}

extension OrgTimestamp {
  fileprivate var sortText: String { "\(date.iso) \(time?.description ?? "")" }
}
