import ArchiveSQLite
package import OrgKit
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The days on which a person completed the review.
package struct ReviewDays: Sendable, Hashable {
  private var days: Set<Int> = []

  /// The number of days that are remembered.
  private static let limit = 4_000

  package init() {}

  /// Reads lines with a day each, such as `2026-03-10`; other lines are ignored.
  package init(text: String) {
    days = Set(text.split(separator: "\n").compactMap { OrgDay(iso: String($0))?.number })
  }

  /// The latest days as lines.
  package var text: String {
    days.sorted().suffix(Self.limit).map { OrgDay(number: $0).iso + "\n" }.joined()
  }

  /// Adds a day.
  package mutating func add(_ day: OrgDay) { days.insert(day.number) }

  /// Returns true if the review of a day was completed.
  package func contains(_ day: OrgDay) -> Bool { days.contains(day.number) }

  /// The number of days in a row until a day, or until the day before if that day's review is still to come.
  package func streak(on day: OrgDay) -> Int {
    var last = contains(day) ? day.number : day.number - 1
    let end = last
    while days.contains(last) { last -= 1 }
    return end - last
  }
}

extension StateFolder {
  /// The days on which the review was completed.
  package func reviewDays() throws(SyncError) -> ReviewDays {
    guard let file = try StateFile(ifPresent: file("reviews")) else { return ReviewDays() }
    return ReviewDays(text: String(decoding: try file.read(atMost: 1 << 20), as: UTF8.self))
  }

  /// Records that the review of a day was completed.
  package func recordReview(on day: OrgDay) throws(SyncError) {
    try create()
    var days = try reviewDays()
    days.add(day)
    try StateFile.replace(file("reviews"), with: Array(days.text.utf8))
  }
}
