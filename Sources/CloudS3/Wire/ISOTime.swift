internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// Parses times such as `2026-11-25T16:03:39.123Z`, as listings and credentials have them.
enum ISOTime {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func time(_ text: String) -> Timestamp? {
    let parts = text.prefix(19).split { "-T:".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return nil }
    return HTTPDate.time(
      "Day, \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT")
  }
}
