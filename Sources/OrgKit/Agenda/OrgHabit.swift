/// A habit: a repeated task whose regularity is shown as a graph (org-habit).
public struct OrgHabit: Sendable, Hashable {
  /// The scheduled day.
  public let scheduled: OrgDay
  /// The repeater in days.
  public let interval: Int
  /// The latest day, if the repeater has a second part as in `.+2d/4d`.
  public let deadline: OrgDay?
  /// The second part of the repeater in days.
  public let longestInterval: Int?
  /// The days on which the task was done, in the order of the log.
  public let done: [OrgDay]
  /// The kind of the repeater: `+`, `++` or `.+`.
  public let kind: String

  /// The habit of an item; nil if it is not one, or has no usable repeater.
  public init?(_ item: OrgItem, limit: Int = 28) {
    guard item.isHabit, let stamp = item.scheduled?.timestamp, let repeater = stamp.repeater,
      let days = repeater.intervalDays, days > 0
    else { return nil }
    (scheduled, interval) = (stamp.date, days)
    kind = String(repeater.prefix { ".+".contains($0) })
    let parts = repeater.split(separator: "/")
    longestInterval = parts.count > 1 ? String(parts[1]).intervalDays : nil
    if let longestInterval {
      guard longestInterval > days else { return nil }
      deadline = scheduled.advanced(by: longestInterval - days)
    } else {
      deadline = nil
    }
    let changes = item.log.compactMap { entry -> OrgDay? in
      if case .state(_, isDone: true) = entry.kind { entry.time.date } else { nil }
    }
    done = Array(changes.prefix(limit))
  }

  /// The last day on which the habit is not late.
  var latest: OrgDay { deadline ?? scheduled }

  /// Returns Org's urgency of the habit (org-habit-get-priority).
  public func urgency(on day: OrgDay) -> Int {
    var urgency = 1_000 + scheduled.distance(to: day) * 10
    if scheduled != latest, day == latest { urgency += 50 }
    let slip = latest.distance(to: day) + 1
    return urgency + (slip > 0 ? slip * 100 : slip * 10)
  }

  /// The number of consecutive times that the habit was done in time, up to `day`.
  public func streak(on day: OrgDay) -> Int {
    let days = Set(done).sorted(by: >)
    guard var last = days.first, last.distance(to: day) <= longestInterval ?? interval else { return 0 }
    var count = 1
    for earlier in days.dropFirst() {
      guard earlier.distance(to: last) <= longestInterval ?? interval else { break }
      (count, last) = (count + 1, earlier)
    }
    return count
  }
}

extension String {
  /// The interval of `.+2d` or `4w` in days, with Org's average months and years; nil for hours and other texts.
  fileprivate var intervalDays: Int? {
    let rest = drop { ".+".contains($0) }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), digits.count <= 5 else { return nil }
    switch rest.dropFirst(digits.count).first {
    case "d": return number
    case "w": return number * 7
    case "m": return number * 304 / 10
    case "y": return number * 36_525 / 100
    default: return nil
    }
  }
}
