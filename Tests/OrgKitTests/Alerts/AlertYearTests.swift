import Foundation
import OrgKit
import Testing

/// A year of alerts under a simulated clock, compared with the minutes of ``AlertOracle``.
@Suite("Alerts over a year") struct AlertYearTests {
  /// A zone for some time, from a UTC minute of 2026 on.
  typealias Stay = (from: Int, zone: AlertOracle.Zone)

  @Test("no alert is missing and none is shown twice, with naps and crashes", arguments: 0..<5)
  func year(variant: Int) throws {
    let stays: [[Stay]] = [
      [(.min, .berlin)], [(.min, .newYork)], [(.min, .lordHowe)],
      [
        (.min, .berlin), (40 * 1_440 + 600, .newYork), (90 * 1_440 + 75, .lordHowe), (180 * 1_440 + 811, .berlin),
        (298 * 1_440 + 20, .newYork), (305 * 1_440, .lordHowe), (340 * 1_440 + 333, .berlin),
      ],
      [(.min, .berlin)],
    ]
    var year = AlertYear(stays[variant], seed: UInt64(variant) + 1, isQuietAtNight: variant == 4)
    year.run()
    try year.judge()
  }
}

/// A year of a program that shows alerts, which naps and crashes.
struct AlertYear {
  private let stays: [AlertYearTests.Stay]
  private let isQuietAtNight: Bool
  private var random: SeededGenerator
  private let entries: [AlertOracle.Entry]
  private let items: [OrgItem]
  private var saved = AlertLedger()
  private var ledger = AlertLedger()
  private var plan: (alerts: [OrgAlert], end: Int, stay: Int)?
  /// The minutes at which everything that was due was shown, before a possible crash.
  private var rounds: [Int] = []
  private var shown: [String: [(minute: Int, isRepeated: Bool, isInterrupted: Bool)]] = [:]
  private(set) var naps = 0
  private(set) var crashes = 0

  /// 2026-01-01 00:00 UTC.
  private static let origin = 1_767_225_600
  private static let end = 370 * 1_440

  init(_ stays: [AlertYearTests.Stay], seed: UInt64, isQuietAtNight: Bool) {
    (self.stays, self.isQuietAtNight) = (stays, isQuietAtNight)
    var random = SeededGenerator(seed: seed)
    entries = (0..<200).map { Self.entry($0, &random) }
    self.random = random
    let text = entries.map(Self.text).joined()
    items = Array(OrgItems(OrgDocument(Array(text.utf8)), file: "year.org"))
  }

  private static func entry(_ number: Int, _ random: inout SeededGenerator) -> AlertOracle.Entry {
    let kind = ["scheduled", "deadline", "timestamp"][Int.random(in: 0..<3, using: &random)]
    var entry = AlertOracle.Entry(
      title: "E\(number)", kind: kind, year: Bool.random(using: &random) ? 2025 : 2026,
      month: Int.random(in: 1...12, using: &random), day: Int.random(in: 1...28, using: &random))
    if [1, 3, 5, 7, 8, 10, 12].contains(entry.month), number % 3 == 0 {
      entry.day = Int.random(in: 29...31, using: &random)
    }
    // Many times are in the hours in which the clock is changed.
    let minutes = number % 2 == 0 ? 0..<240 : 0..<1_440
    entry.minute = number % 5 == 0 ? nil : Int.random(in: minutes, using: &random)
    let unit: Character = ["d", "w", "w", "m", "y", "h"][number % 6]
    let counts = ["d": 2...9, "w": 1...3, "m": 1...4, "y": 1...1, "h": 31...150][String(unit)] ?? 1...1
    entry.repeater = (Int.random(in: counts, using: &random), unit)
    if unit == "h", entry.minute == nil { entry.minute = 135 }
    if kind == "scheduled", unit != "h", number % 7 == 0 {
      entry.delay = (Int.random(in: 1...3, using: &random), Bool.random(using: &random))
    }
    if number % 11 == 0 { entry.warning = [0, 5, 90, 1_500, 3_000][Int.random(in: 0..<5, using: &random)] }
    return entry
  }

  private static func text(_ entry: AlertOracle.Entry) -> String {
    let time = entry.minute.map { String(format: " %02d:%02d", $0 / 60, $0 % 60) } ?? ""
    let mark = ["+", "++", ".+"][entry.day % 3]
    var stamp = String(format: "<%04d-%02d-%02d Xxx", entry.year, entry.month, entry.day) + time
    if let repeater = entry.repeater { stamp += " \(mark)\(repeater.count)\(repeater.unit)" }
    if let delay = entry.delay { stamp += " \(delay.isOnce ? "--" : "-")\(delay.days)d" }
    stamp += ">"
    let warning = entry.warning.map { ":PROPERTIES:\n:APPT_WARNTIME: \($0)\n:END:\n" } ?? ""
    switch entry.kind {
    case "scheduled": return "* TODO \(entry.title)\nSCHEDULED: \(stamp)\n\(warning)"
    case "deadline": return "* TODO \(entry.title)\nDEADLINE: \(stamp)\n\(warning)"
    default: return "* \(entry.title)\n\(warning)\(stamp)\n"
    }
  }

  private func stay(at minute: Int) -> Int { stays.lastIndex { $0.from <= minute } ?? 0 }

  private func zone(_ stay: Int) -> OrgZone {
    let name = stays[stay].zone.name
    let system = TimeZone(identifier: name) ?? .gmt
    return OrgZone(name: name) { system.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
  }

  private func isQuiet(_ minute: Int) -> Bool {
    let time = zone(stay(at: minute)).moment(at: Self.origin + minute * 60).minute
    return isQuietAtNight && (time >= 22 * 60 || time < 7 * 60)
  }

  /// Runs the program from the first to the last minute.
  mutating func run() {
    var minute = 0
    while minute < Self.end {
      let hasCrashed = round(at: minute)
      if hasCrashed {
        ledger = AlertLedger(text: saved.text)
        plan = nil
        crashes += 1
      }
      minute = next(after: minute, isDown: hasCrashed)
    }
  }

  /// The next minute at which the program runs: when something is due, at the end of quiet hours, or after a nap.
  private mutating func next(after minute: Int, isDown: Bool) -> Int {
    if isDown || Int.random(in: 0..<400, using: &random) == 0 {
      naps += 1
      let length = [1...30, 60...700, 1_440...1_500, 2_000...4_400][Int.random(in: 0..<4, using: &random)]
      return minute + Int.random(in: length, using: &random)
    }
    let due = plan?.alerts.first { $0.due > Self.origin + minute * 60 }.map { ($0.due - Self.origin) / 60 }
    let change = stays.first { $0.from > minute }?.from
    return [due, change, (minute / 60 + 1) * 60].compactMap(\.self).min() ?? minute + 1
  }

  /// Returns true if the program crashed.
  private mutating func round(at minute: Int) -> Bool {
    let now = Self.origin + minute * 60
    let stay = stay(at: minute)
    let zone = zone(stay)
    if plan.map({ $0.end < now + 3_600 || $0.stay != stay }) ?? true {
      let end = now + 26 * 3_600
      let alerts = OrgAlertPlan(OrgAlertRules(), zone: zone).alerts(of: items, after: ledger.start(at: now), to: end)
      plan = (alerts, end, stay)
    }
    let quiet = isQuiet(minute)
    let rings = ledger.round(at: now, plan?.alerts ?? [], snoozes: AlertSnoozes(), zone: zone, isQuiet: quiet)
    let crash = Int.random(in: 0..<200, using: &random)
    if crash == 0 { return true }
    ledger.begin(rings)
    save()
    if crash == 1 { return true }
    for ring in rings {
      let wall = ring.alert.date.wallMinutes - Self.origin / 60
      let name = "\(ring.alert.item.title) \(ring.alert.kind.rawValue) \(wall)"
      shown["\(name) \(ring.alert.number)", default: []].append((minute, ring.isRepeated, crash == 2))
    }
    if !quiet { rounds.append(minute) }
    if crash == 2 { return true }
    ledger.finish(rings)
    save()
    return crash == 3
  }

  /// Saves the record as the service does.
  private mutating func save() {
    let now = ledger.time ?? 0
    guard ledger.differs(from: saved) || now - (saved.time ?? 0) >= 900 || now < saved.time ?? 0
    else {
      return
    }
    saved = ledger
  }

  /// The first round that has to show an alert that is due in each stay at a time: the minute, and the lateness.
  private func round(showing dues: [Int]) -> (minute: Int, lateness: Int)? {
    var low = rounds.partitioningIndex { $0 >= (dues.min() ?? 0) }
    while low < rounds.count {
      let minute = rounds[low]
      let due = dues[stay(at: minute)]
      if due <= minute { return (minute, minute - due) }
      low += 1
    }
    return nil
  }

  /// Compares what was shown with the oracle.
  func judge() throws {
    #expect(crashes > 20 && naps > 20, "\(crashes) crashes, \(naps) naps")
    let expected = expectedAlerts()
    var (onTime, late, left) = (0, 0, 0)
    var known: Set<String> = []
    for (name, dues) in expected {
      known.insert(name)
      guard (dues.min() ?? 0) > 0, (dues.max() ?? 0) < Self.end - 6 * 1_440, let round = round(showing: dues) else {
        continue
      }
      let times = shown[name] ?? []
      if round.lateness > 1_440 || isCovered(name, round.minute, expected) {
        #expect(times.isEmpty, "\(name) was shown at \(times), but not in time or with its second alert")
        left += 1
        continue
      }
      #expect(times.first?.minute == round.minute, "\(name), due at \(dues), was shown at \(times), not \(round)")
      for (first, second) in zip(times, times.dropFirst()) {
        #expect(first.isInterrupted && second.isRepeated, "\(name) was shown twice: \(times)")
      }
      if round.lateness == 0 { onTime += 1 } else { late += 1 }
    }
    let invented = shown.keys.filter { !known.contains($0) }
    #expect(invented.isEmpty, "\(invented)")
    #expect(onTime > 1_000 && late > 100 && left > 20, "\(onTime) on time, \(late) late, \(left) left out")
  }

  /// Returns true if a round shows the second alert of the same date instead.
  private func isCovered(_ name: String, _ minute: Int, _ expected: [String: [Int]]) -> Bool {
    guard name.hasSuffix(" 1"), let second = expected["\(name.dropLast())2"], let round = round(showing: second) else {
      return false
    }
    return round.minute == minute && round.lateness <= 1_440
  }

  /// The minutes at which each alert is due in each stay.
  private func expectedAlerts() -> [String: [Int]] {
    var expected: [String: [Int]] = [:]
    var oracles: [String: AlertOracle] = [:]
    for stay in stays { oracles[stay.zone.name] = AlertOracle(stay.zone, dayMinute: 540) }
    for (index, stay) in stays.enumerated() {
      for alert in entries.flatMap({ oracles[stay.zone.name]?.alerts(of: $0) ?? [] }) {
        expected["\(alert.name) \(alert.number)", default: Array(repeating: .max, count: stays.count)][index] =
          alert.minute
      }
    }
    return expected
  }
}

extension [Int] {
  /// The first place of a sorted list at which a condition holds.
  fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
