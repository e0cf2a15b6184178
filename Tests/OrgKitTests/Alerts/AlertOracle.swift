/// Computes the alerts of a year in the simplest way: it walks through all minutes with a clock and a calendar of its own. It shares
/// no code with OrgKit, and its zones are tables written by hand.
struct AlertOracle {
  /// A zone: the changes of its clock in UTC minutes since the beginning of 2026, with the minutes east of UTC from then on.
  struct Zone {
    var name: String
    var changes: [(minute: Int, offset: Int)]

    func offset(at minute: Int) -> Int { changes.last { $0.minute <= minute }?.offset ?? 0 }

    // 2026-03-29 01:00 UTC and 2026-10-25 01:00 UTC.
    static let berlin = Zone(
      name: "Europe/Berlin", changes: [(.min, 60), (87 * 1_440 + 60, 120), (297 * 1_440 + 60, 60)])
    // 2026-03-08 07:00 UTC and 2026-11-01 06:00 UTC.
    static let newYork = Zone(
      name: "America/New_York", changes: [(.min, -300), (66 * 1_440 + 420, -240), (304 * 1_440 + 360, -300)])
    // 2026-04-04 15:00 UTC and 2026-10-03 15:30 UTC: half an hour of summer time.
    static let lordHowe = Zone(
      name: "Australia/Lord_Howe", changes: [(.min, 660), (93 * 1_440 + 900, 630), (275 * 1_440 + 930, 660)])
  }

  /// A date of an entry.
  struct Entry {
    var title: String
    var kind: String
    var year = 2026
    var month: Int
    var day: Int
    var minute: Int?
    var repeater: (count: Int, unit: Character)?
    var delay: (days: Int, isOnce: Bool)?
    var warning: Int?
  }

  /// An alert, with its time in UTC minutes since the beginning of 2026.
  struct Alert: Hashable {
    var name: String
    var number: Int
    var minute: Int
  }

  /// The days of the calendar in order, and the place of 1 January 2026 among them.
  private var places: [[Int]: Int] = [:]
  private let origin: Int
  /// The first minute at which the clock shows a wall minute or a later one.
  private var arrivals: [Int: Int] = [:]
  private let dayMinute: Int

  init(_ zone: Zone, dayMinute: Int) {
    self.dayMinute = dayMinute
    var (year, month, day, place) = (2025, 1, 1, 0)
    while year < 2028 {
      places[[year, month, day]] = place
      place += 1
      let isLeap = year % 4 == 0
      let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      (month, day) = day == length ? (month + 1, 1) : (month, day + 1)
      if month == 13 { (year, month) = (year + 1, 1) }
    }
    origin = places[[2026, 1, 1]] ?? 0
    var latest = -40 * 1_440
    for minute in (-40 * 1_440)..<(400 * 1_440) {
      let wall = minute + zone.offset(at: minute)
      while latest < wall {
        latest += 1
        arrivals[latest] = minute
      }
    }
  }

  /// The alerts of an entry in the year, by number and wall minute of the date.
  func alerts(of entry: Entry) -> [Alert] {
    walls(of: entry).flatMap { wall -> [Alert] in
      var leads: [(Int, Int)] = [(2, 0)]
      if entry.minute != nil, let warning = entry.warning {
        if warning != 0 { leads.append((1, warning)) }
      } else if entry.kind == "deadline" {
        leads.append((1, 1_440))
      } else if entry.minute != nil {
        leads.append((1, 15))
      }
      return leads.compactMap { number, lead in
        guard let arrival = arrivals[wall - lead / 1_440 * 1_440] else { return nil }
        return Alert(name: "\(entry.title) \(entry.kind) \(wall)", number: number, minute: arrival - lead % 1_440)
      }
    }
  }

  /// The wall minutes of an entry's dates, since the beginning of 2026.
  private func walls(of entry: Entry) -> Set<Int> {
    guard let first = places[[entry.year, entry.month, entry.day]].map({ $0 - origin }) else { return [] }
    let time = entry.minute ?? dayMinute
    guard let repeater = entry.repeater else { return [(first + (entry.delay?.days ?? 0)) * 1_440 + time] }
    if repeater.unit == "h" {
      return Set(stride(from: first * 1_440 + time, to: 390 * 1_440, by: repeater.count * 60))
    }
    var days: [Int] = []
    switch repeater.unit {
    case "d": days = Array(stride(from: first, to: 390, by: repeater.count))
    case "w": days = Array(stride(from: first, to: 390, by: repeater.count * 7))
    default:
      var (year, month) = (entry.year, entry.month)
      while let start = places[[year, month, 1]], start - origin < 390 {
        // The 31st of a shorter month is early in the next one.
        days.append(start - origin + entry.day - 1)
        month += repeater.unit == "y" ? 12 * repeater.count : repeater.count
        while month > 12 { (year, month) = (year + 1, month - 12) }
      }
    }
    return Set(
      days.map { day in
        let isHidden = day == first || entry.delay?.isOnce == false
        return (day + (isHidden ? entry.delay?.days ?? 0 : 0)) * 1_440 + time
      })
  }
}
