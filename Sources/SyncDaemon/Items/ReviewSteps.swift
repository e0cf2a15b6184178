package import OrgKit

/// What a review consists of: the entries of the inbox that wait for a decision, the projects and tasks that do not advance, and the
/// tasks from which to pick those of today.
package struct ReviewSteps {
  /// The entries of the inbox without a decision, in the order of the file.
  package let inbox: [OrgItem]
  /// The projects without a next action.
  package let stuck: [OrgItem]
  /// The tasks that wait for another person.
  package let waiting: [OrgItem]
  /// The open tasks that are due or are next actions, in the order of the agenda: today's picks first.
  package let picks: [OrgItem]

  /// The steps for the entries of a store.
  package init(_ items: StoreItems, inbox file: String) throws {
    let stuck = try items.agenda().stuck().compactMap(\.item)
    self.init(Array(try items.all().joined()), stuck: stuck, inbox: file, today: items.now.day)
  }

  /// The steps for the items of a store, as of a day.
  package init(_ items: [OrgItem], stuck: [OrgItem], inbox file: String, today: OrgDay) {
    self.stuck = stuck
    let live = items.filter { !$0.isComment && !$0.isArchived && !$0.isDone }
    let inbox = live.filter { $0.file == file && $0.level == 1 && $0.waitsForDecision && !$0.hasAction(among: live) }
    let candidates = live.filter { $0.isOpenTask && !$0.isHabit && ($0.keyword == Self.next || $0.isDue(on: today)) }
    let tasks = candidates.filter { !inbox.contains($0) }
    waiting = live.filter { $0.keyword.map(Self.waiting.contains) ?? false }
    picks = tasks.filter(\.isPicked) + tasks.filter { !$0.isPicked }
    self.inbox = inbox
  }

  /// The state of a next action.
  package static let next = "NEXT"
  /// The states of tasks that wait for another person.
  package static let waiting: Set = ["WAIT", "WAITING"]
  /// The priority of today's picks.
  package static let pick = "A"
}

extension OrgItem {
  /// True if the entry was only captured: it has no date, and no state but the first one.
  fileprivate var waitsForDecision: Bool {
    [nil, "TODO"].contains(keyword) && scheduled == nil && deadline == nil && timestamps.isEmpty && ranges.isEmpty
  }

  /// True if the entry is a project: a child is an open task.
  fileprivate func hasAction(among items: [OrgItem]) -> Bool {
    items.contains { $0.file == file && $0.level > level && $0.path.starts(with: path) && $0.isOpenTask && $0 != self }
  }

  /// True if the task is scheduled or has its deadline on a day or before.
  fileprivate func isDue(on day: OrgDay) -> Bool {
    [scheduled, deadline].contains { $0?.timestamp.map { $0.isActive && $0.date <= day } ?? false }
  }

  /// True if the task was picked for today.
  package var isPicked: Bool { priority == ReviewSteps.pick }
}
