internal import OrgKit

/// The text of `agendas.org`, as written by `org-mobile-write-agenda-for-mobile` of Org 9.5, but without aligned tags and time
/// grid. Pure.
struct AgendaText {
  private(set) var bytes: Bytes

  /// - Parameter parts: the parts of all files, in file order.
  init(_ views: [AgendaView], _ parts: [AgendaPart], today: OrgDay) {
    var used: [String: Int] = [:]
    let texts = views.enumerated().map { index, view in
      used[view.key, default: 0] += 1
      let number = used[view.key] ?? 1
      let key = number == 1 ? view.key : "\(view.key)\(number)"
      let sections = parts.first.map { $0.views[index].indices } ?? 0..<0
      let items = sections.map { section in
        parts.flatMap { $0.views[index][section] }.sorted { $0.isAbove($1) }
      }
      let head = "* \(Self.name(of: view, today))<after>KEYS=\(key) TITLE: \(view.title)</after>\n"
      return head + Self.text(of: view, items, today)
    }
    bytes = Bytes(("#+READONLY\n" + texts.joined(separator: "\n\n")).utf8)
  }

  private static func name(of view: AgendaView, _ today: OrgDay) -> String {
    switch view {
    case .days(let count): "\(span(count))-agenda (\(weeks(from: today, to: today.advanced(by: count - 1)))):"
    case .todo: "ToDo: ALL"
    case .match(let match): "Match: \(match)"
    }
  }

  private static func span(_ days: Int) -> String {
    switch days {
    case 1: "Day"
    case 7: "Week"
    case 14: "Fortnight"
    default: "\(days) days"
    }
  }

  private static func weeks(from first: OrgDay, to last: OrgDay) -> String {
    first.week == last.week ? week(first) : "\(week(first))-\(week(last))"
  }

  private static func week(_ day: OrgDay) -> String { "W\(day.week < 10 ? "0" : "")\(day.week)" }

  private static func text(of view: AgendaView, _ sections: [[AgendaItem]], _ today: OrgDay) -> String {
    guard case .days(let count) = view else { return (sections.first ?? []).map { text(of: $0, stars: "**") }.joined() }
    return (0..<count).map { offset in
      let items = offset < sections.count ? sections[offset] : []
      return "** \(dateLine(today.advanced(by: offset)))\n" + items.map { text(of: $0, stars: "***") }.joined()
    }.joined()
  }

  /// `Monday     12 January 2026 W03`
  private static func dateLine(_ day: OrgDay) -> String {
    let (year, month, number) = day.date
    let line = "\(AgendaEntry.padded(weekdays[day.weekday - 1], 10)) \(AgendaEntry.padded(left: number, 2))"
    return "\(line) \(months[month - 1]) \(year)" + (day.weekday == 1 ? " \(week(day))" : "")
  }

  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  private static func text(of item: AgendaItem, stars: String) -> String {
    ((["\(stars)  \(item.heading)"] + item.lines).joined(separator: "\n")) + "\n\n"
  }
}
