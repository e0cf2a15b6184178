/// The record of the alerts that were shown, so that each is shown once: also after a crash, a nap, a change of the clock or of the
/// zone. Pure; the caller saves ``text`` before and after it shows something.
public struct AlertLedger: Sendable, Hashable {
  /// The time until which all alerts were handled, in seconds since 1970; nil before the first round.
  public private(set) var time: Int?
  /// The wall time then, in minutes: in another zone, an alert whose time the clock has skipped is still to be shown.
  private var wall = 0
  /// The alerts that were shown or suppressed, with the times at which they were due.
  private var handled: [String: Int] = [:]
  /// The alerts that were about to be shown when the record was saved.
  private var begun: [String: Int] = [:]
  /// The alerts that wait for the end of quiet hours.
  private var waiting: [String: Int] = [:]
  /// The alerts that were not shown, because nothing ran for a day after their time.
  public private(set) var missed: [String: Int] = [:]

  /// The time for which alerts are remembered: longer than zones differ.
  private static let memory = 3 * 86_400
  /// An alert that could not be shown for this long is only listed.
  private static let limit = 86_400
  /// The time for which missed alerts are listed.
  public static let missedMemory = 30 * 86_400
  /// An alert that is shown later than this is a missed one.
  private static let tolerance = 300

  /// An empty record.
  public init() {}

  /// The time from which a round needs alerts, in seconds since 1970.
  public func start(at now: Int) -> Int { min(now, time ?? now) - Self.memory }

  /// An alert to show.
  public struct Ring: Sendable, Hashable {
    /// The alert.
    public var alert: OrgAlert
    /// The time at which it had to be shown.
    public var due: Int
    /// True if it could not be shown at its time.
    public var isLate: Bool
    /// True if the program was stopped or had an error while it showed this alert, which may therefore have been shown.
    public var isRepeated: Bool
    /// The identifiers in the record that this covers.
    fileprivate var ids: [String: Int]
  }

  /// Returns what has to be shown now. Each ring must be followed by ``begin(_:)``, the display and ``finish(_:)``; without the
  /// last one, the next round returns it again.
  ///
  /// - Parameters:
  ///   - now: the time in seconds since 1970.
  ///   - alerts: the alerts from ``start(at:)`` until now or later, in the present zone, sorted.
  ///   - snoozes: the dates that were put off.
  ///   - zone: the present zone.
  ///   - isQuiet: true in quiet hours: what is due is shown after them.
  public mutating func round(
    at now: Int, _ alerts: [OrgAlert], snoozes: AlertSnoozes, zone: OrgZone, isQuiet: Bool
  ) -> [Ring] {
    let present = zone.moment(at: now).wallMinutes
    // After the clock was set back, or in a zone further west, the same times come again.
    let (last, lastWall) = (min(time ?? now, now), time == nil ? present : min(wall, present))
    let hasZoneChanged = time.map { zone.moment(at: $0).wallMinutes != wall } ?? false
    let isWholeRound = hasZoneChanged || !begun.isEmpty || !waiting.isEmpty
    var due: [Due] = []
    for place in alerts.firstPlace(dueAfter: isWholeRound ? .min : last)..<alerts.firstPlace(dueAfter: now) {
      let alert = alerts[place]
      guard handled[alert.id] == nil else { continue }
      let isSkipped = hasZoneChanged && zone.moment(at: alert.due).wallMinutes > lastWall
      guard alert.due > last || isSkipped || begun[alert.id] != nil || waiting[alert.id] != nil else { continue }
      if let end = snoozes[alert.dateID], alert.due <= end {
        handled[alert.id] = alert.due
      } else {
        due.append(Due(id: alert.id, time: alert.due, alert: alert))
      }
    }
    due += snoozed(at: now, alerts, snoozes)
    for entry in due where now - entry.time > Self.limit { leave(entry) }
    due.removeAll { now - $0.time > Self.limit }
    if (time ?? 0) / 3_600 != now / 3_600 { forget(before: now) }
    (time, wall) = (now, present)
    waiting = Dictionary(due.map { ($0.id, $0.time) }) { first, _ in first }
    return isQuiet ? [] : rings(due, at: now)
  }

  /// Something to show: an alert, or the end of a snooze.
  private struct Due {
    var id: String
    var time: Int
    var alert: OrgAlert
  }

  /// The dates whose snooze has ended.
  private func snoozed(at now: Int, _ alerts: [OrgAlert], _ snoozes: AlertSnoozes) -> [Due] {
    let ended = snoozes.ends.filter { $0.value <= now && now - $0.value < Self.memory }
    return ended.sorted { $0.key < $1.key }.compactMap { date, end in
      let id = "\(date)@\(end)"
      guard handled[id] == nil, let alert = alerts.last(where: { $0.dateID == date }) else { return nil }
      return Due(id: id, time: end, alert: alert)
    }
  }

  /// One ring for each date: the last alert of those that are due.
  private func rings(_ due: [Due], at now: Int) -> [Ring] {
    let dates = Dictionary(grouping: due, by: \.alert.dateID)
    return dates.values.compactMap { entries -> Ring? in
      guard let last = entries.max(by: { ($0.time, $0.alert.number) < ($1.time, $1.alert.number) }) else { return nil }
      return Ring(
        alert: last.alert, due: last.time, isLate: now - last.time > Self.tolerance,
        isRepeated: entries.contains { begun[$0.id] != nil },
        ids: Dictionary(entries.map { ($0.id, $0.time) }) { first, _ in first })
    }.sorted { ($0.due, $0.alert) < ($1.due, $1.alert) }
  }

  /// Records that rings are about to be shown.
  public mutating func begin(_ rings: [Ring]) {
    for ring in rings { begun.merge(ring.ids) { first, _ in first } }
  }

  /// Records that rings were shown.
  public mutating func finish(_ rings: [Ring]) {
    for (id, due) in rings.flatMap(\.ids) {
      (begun[id], waiting[id]) = (nil, nil)
      handled[id] = due
    }
  }

  private mutating func leave(_ due: Due) {
    (begun[due.id], handled[due.id], missed[due.id]) = (nil, due.time, due.time)
  }

  private mutating func forget(before now: Int) {
    handled = handled.filter { $0.value > now - Self.memory }
    begun = begun.filter { $0.value > now - Self.memory }
    missed = missed.filter { $0.value > now - Self.missedMemory }
  }
}

extension [OrgAlert] {
  /// The place of the first alert of a sorted list that is due after a time.
  fileprivate func firstPlace(dueAfter time: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].due > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension AlertLedger {
  /// Reads a record; lines of an unknown form are ignored.
  public init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let number = Int(words[2]) else { continue }
      switch words[0] {
      case "until": if let seconds = Int(words[1]) { (time, wall) = (seconds, number) }
      case "handled": handled[words[1]] = number
      case "begun": begun[words[1]] = number
      case "waiting": waiting[words[1]] = number
      case "missed": missed[words[1]] = number
      default: break
      }
    }
  }

  /// The record as lines of text.
  public var text: String {
    let lists = [("handled", handled), ("begun", begun), ("waiting", waiting), ("missed", missed)]
    let lines = lists.flatMap { word, list in list.sorted { $0.key < $1.key }.map { "\(word) \($0.key) \($0.value)\n" }
    }
    return (time.map { "until \($0) \(wall)\n" } ?? "") + lines.joined()
  }

  /// Returns true if a record differs in more than its time.
  public func differs(from other: AlertLedger) -> Bool {
    handled != other.handled || begun != other.begun || waiting != other.waiting || missed != other.missed
  }
}

/// The dates that were put off, each until a time: nothing of them is shown before, and then they are shown once.
public struct AlertSnoozes: Sendable, Hashable {
  /// The time until which each date is put off, in seconds since 1970, by ``OrgAlert/dateID``.
  public private(set) var ends: [String: Int] = [:]

  /// Nothing was put off.
  public init() {}

  /// Reads lines of an identifier and a time; the last one of each date counts.
  public init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let end = Int(words[1]) { ends[String(words[0])] = end }
    }
  }

  /// Returns the line that puts a date off.
  public static func line(_ date: String, until end: Int) -> String { "\(date) \(end)\n" }

  /// The time until which a date is put off; nil if it is not.
  public subscript(date: String) -> Int? { ends[date] }
}
