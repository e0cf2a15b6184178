import ArgumentParser
import CPOSIX
import SyncKit

/// A local time on the command line: `2026-11-20 08:00`, `2026-11-20` (its first second), `2026-11-20T08:00:00Z` or with an
/// offset such as `+01:00` (RFC 3339), `today`, `yesterday` (their first seconds), or a duration before now, such as `90m`,
/// `2h`, `3d` or, as for git, `2 hours ago`.
struct PointInTime: ExpressibleByArgument, Equatable {
  let time: Timestamp

  init?(argument: String) { self.init(argument, now: Runtime.real.now()) }

  init?(_ text: String, now: Timestamp) {
    let seconds: Int64? =
      switch text {
      case "today": Self.midnight(before: now.seconds)
      case "yesterday": Self.midnight(before: now.seconds).flatMap { Self.midnight(before: $0 - 1) }
      default: Self.seconds(of: text) ?? Self.seconds(of: text + " 00:00")
      }
    if let seconds {
      time = Timestamp(seconds: seconds)
    } else if let duration = Duration(text: Self.withoutAgo(text)), duration > .zero {
      time = Timestamp(nanoseconds: now.nanoseconds - Int64(duration / .nanoseconds(1)))
    } else {
      return nil
    }
  }

  /// Returns `2h` for `2 hours ago`, and other text unchanged.
  private static func withoutAgo(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard words.count == 3, words[2] == "ago", words[0].allSatisfy(\.isWholeNumber) else {
      return text.hasSuffix(" ago") && words.count == 2 ? String(words[0]) : text
    }
    let unit = words[1].hasSuffix("s") ? words[1].dropLast() : words[1]
    guard ["second", "minute", "hour", "day", "week"].contains(unit) else { return text }
    return unit == "week" ? "\((Int(words[0]) ?? 0) * 7)d" : "\(words[0])\(unit.prefix(1))"
  }

  private static func midnight(before seconds: Int64) -> Int64? {
    var parts = [CInt](repeating: 0, count: 6)
    unsafe posix_local_time(seconds, &parts)
    return self.seconds(at: [parts[0], parts[1], parts[2], 0, 0, 0], isUTC: false)
  }

  /// Parses a date and a time of day, separated by a space or a T; local unless an offset follows.
  private static func seconds(of text: String) -> Int64? {
    let pattern = /(\d{4})-(\d{2})-(\d{2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?(?:(Z)|([+-]\d{2}):(\d{2}))?/
    guard let found = text.wholeMatch(of: pattern)?.output else { return nil }
    let parts = [found.1, found.2, found.3, found.4, found.5, found.6 ?? "0"].compactMap { CInt($0) }
    guard let hours = found.8, let minutes = found.9.flatMap({ Int64($0) }) else {
      return seconds(at: parts, isUTC: found.7 != nil)
    }
    guard let east = Int64(hours), east < 24, minutes < 60 else { return nil }
    let offset = east * 3_600 + (hours.first == "-" ? -minutes : minutes) * 60
    return seconds(at: parts, isUTC: true).map { $0 - offset }
  }

  private static func seconds(at parts: [CInt], isUTC: Bool) -> Int64? {
    var seconds: Int64 = 0
    return unsafe posix_time_of_date(parts, isUTC, &seconds) ? seconds : nil
  }
}
