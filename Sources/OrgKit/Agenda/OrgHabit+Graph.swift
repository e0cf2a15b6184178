extension OrgHabit {
  /// A habit's graph: one character and one letter for each day.
  public struct Graph: Sendable, Hashable {
    /// `*` for a day on which the task was done, `!` for today, otherwise a blank; one more blank at the end.
    public var marks: String
    /// The colour of each day: clear, ready, alert, overdue; capitals for days without a mark in the past and for the future.
    /// The last character is a dot.
    public var colours: String
  }

  /// The colour of a day.
  private enum Colour: Character {
    case clear = "c"
    case ready = "r"
    case alert = "a"
    case overdue = "o"
  }

  /// Returns the graph from `preceding` days before to `following` days after `today`.
  public func graph(
    today: OrgDay, preceding: Int = 21, following: Int = 7, doneIsGreen: Bool = false
  ) -> Graph {
    let all = done.sorted()
    var (remaining, last) = (all[...], OrgDay?.none)
    let first = today.advanced(by: -preceding)
    while let day = remaining.first, day < first { last = remaining.removeFirst() }
    var graph = Graph(marks: "", colours: "")
    for offset in 0..<(preceding + following) {
      let day = first.advanced(by: offset)
      let isDone = remaining.first == day
      let colour = colour(of: day, today: today, all: all, remaining: remaining, last: last, isDone, doneIsGreen)
      graph.marks.append(isDone ? "*" : day == today ? "!" : " ")
      if isDone { while remaining.first == day { last = remaining.removeFirst() } }
      let isDim = day > today || (day < today && colour != .overdue && !isDone)
      graph.colours.append(isDim ? Character(colour.rawValue.uppercased()) : colour.rawValue)
    }
    graph.marks.append(" ")
    graph.colours.append(".")
    return graph
  }

  private func colour(
    of day: OrgDay, today: OrgDay, all: [OrgDay], remaining: ArraySlice<OrgDay>, last: OrgDay?, _ isDone: Bool,
    _ doneIsGreen: Bool
  ) -> Colour {
    guard day < today else { return colour(of: day, scheduled: nil, isDone, doneIsGreen) }
    guard let last else {
      if scheduled < today { return colour(of: day, scheduled: nil, isDone, doneIsGreen) }
      return all.first == day ? .ready : .clear
    }
    return colour(of: day, scheduled: scheduledThen(all, remaining, last), isDone, doneIsGreen)
  }

  /// The day for which the task was scheduled after it was done on `last`.
  private func scheduledThen(_ all: [OrgDay], _ remaining: ArraySlice<OrgDay>, _ last: OrgDay) -> OrgDay {
    if remaining.isEmpty { return scheduled }
    switch kind {
    case ".+": return last.advanced(by: interval)
    case "+": return scheduled.advanced(by: -remaining.count * interval)
    default:
      let first = all[0]
      let shift = first.distance(to: scheduled).remainder(by: interval)
      var then = first.advanced(by: shift == 0 ? interval : shift)
      if first == last { return then }
      for done in all.dropFirst() {
        then = then.advanced(by: (1 + max(then.distance(to: done), 0) / interval) * interval)
        if done == last { return then }
      }
      return then
    }
  }

  private func colour(
    of day: OrgDay, scheduled then: OrgDay?, _ isDone: Bool, _ doneIsGreen: Bool
  ) -> Colour {
    let start = then ?? scheduled
    let end = then.map { $0.advanced(by: (longestInterval ?? interval) - interval) } ?? latest
    if day < start { return .clear }
    if day < end { return .ready }
    if day == end { return isDone ? .ready : .alert }
    return doneIsGreen && isDone ? .ready : .overdue
  }
}
