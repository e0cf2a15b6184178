extension OrgEditor {
  /// Carries out a verb at the place that was visited.
  mutating func perform(_ verb: OrgVerb) throws(Refusal) {
    switch verb {
    case .todo(let change): try changeState(change)
    case .priority(let change): try changePriority(change)
    case .tags(let change): try changeTags(change)
    case .schedule(let change): try changeDate(.scheduled, change)
    case .deadline(let change): try changeDate(.deadline, change)
    case .shiftTimestamp(let amount, let unit, let nth): try shiftTimestamp(by: amount, unit, nth: nth)
    case .toggleTimestampType: try toggleTimestampType()
    case .property(let change): try changeProperty(change)
    case .note: try addLog(PendingLog(.note, how: .note))
    case .createID: try createID()
    case .title(let title): try changeTitle(title)
    case .body(let text, let log): try replaceBody(text, log: log)
    case .toggleComment: try toggleComment()
    case .toggleOrdered: try toggleOrdered()
    default: try performOnStructure(verb)
    }
  }
}
