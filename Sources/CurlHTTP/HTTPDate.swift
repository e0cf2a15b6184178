/// Parses HTTP dates: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). Obsolete forms are not supported; a date is only a
/// hint.
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the seconds since 1970; nil for any other text.
  package static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, let day = Int(parts[1]), let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), (1...31).contains(day), (1900...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, clock.allSatisfy({ (0..<61).contains($0) }) else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Int64(days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2])
  }

  /// Converts a date to days, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
