/// The name of a version that has to stand beside another one: `NAME.conflict-YYYYMMDDTHHMMSSZ-WHO.EXT`.
///
/// It is made of facts of the version only, so that two devices which meet the same conflict name the same copy.
public enum ConflictName {
  private static let limit = 255

  /// The path beside `path` for its version with `digest`, which `who` made at `time`.
  ///
  /// - Parameter digits: how many digits of the digest follow the letters and digits of `who`; more of them where the
  ///   name is taken by another content.
  public static func path(
    for path: SyncPath, at time: Timestamp, by who: String, digest: Digest, digits: Int = 4
  ) -> SyncPath {
    let (stem, ending) = split(path.name)
    let maker = who.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    let mark = ".conflict-\(stamp(time))-\(String(String.UnicodeScalarView(maker)).prefix(32))"
    let tail = Array(mark.utf8) + digest.description.utf8.prefix(digits) + ending
    let name = shortened(stem, to: limit - tail.count) + tail
    return path.sibling(name) ?? path
  }

  /// The name before its last dot, and the rest; a name that begins with its only dot has no ending, and neither has
  /// one whose ending would leave no room.
  private static func split(_ name: ArraySlice<UInt8>) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex, name.endIndex - dot <= 64 else {
      return (name, [])
    }
    return (name[..<dot], name[dot...])
  }

  /// The first bytes of a name, not cut inside a character.
  private static func shortened(_ name: ArraySlice<UInt8>, to limit: Int) -> ArraySlice<UInt8> {
    guard name.count > limit else { return name }
    var end = name.startIndex + limit
    while end > name.startIndex, UTF8.isContinuation(name[end]) { end -= 1 }
    return name[..<end]
  }

  /// The time as `20260821T101500Z`, by the calendar arithmetic of H. Hinnant, *chrono-compatible low-level date
  /// algorithms*.
  private static func stamp(_ time: Timestamp) -> String {
    let (day, second) = time.seconds.quotientAndRemainder(floor: 86_400)
    let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(floor: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [(year, 4), (month, 2), (dayOfYear - (153 * marchMonth + 2) / 5 + 1, 2)]
    let clock = [(second / 3600, 2), (second / 60 % 60, 2), (second % 60, 2)]
    return date.map(padded).joined() + "T" + clock.map(padded).joined() + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Int64 {
  fileprivate func quotientAndRemainder(floor divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
