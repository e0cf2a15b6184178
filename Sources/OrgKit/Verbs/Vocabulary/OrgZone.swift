/// A time zone: the difference between wall time and UTC at every moment. The caller supplies the rules.
public struct OrgZone: Sendable {
  /// The name in the IANA database, such as `Europe/Berlin`.
  public let name: String
  /// Returns the seconds east of UTC at a moment, given in seconds since 1970 in UTC.
  private let offset: @Sendable (Int) -> Int

  /// Creates a zone from its name and its rules.
  public init(name: String, offset: @escaping @Sendable (Int) -> Int) {
    self.name = name
    self.offset = offset
  }

  /// The zone without offset and without summer time.
  public static let utc = OrgZone(name: "UTC") { _ in 0 }

  /// Returns the wall time of a moment in UTC.
  public func moment(at seconds: Int) -> OrgMoment {
    let wall = seconds + offset(seconds)
    return OrgMoment(day: OrgDay(number: wall.quotient(by: 86_400)), minute: wall.remainder(by: 86_400) / 60)
  }

  /// Returns the seconds since 1970 in UTC of a wall time. A time that occurs twice is its first occurrence; one that does not
  /// exist moves on by the length of the gap.
  public func seconds(of moment: OrgMoment) -> Int {
    let wall = moment.wallMinutes * 60
    let before = offset(wall - 86_400)
    let after = offset(wall + 86_400)
    let first = wall - before
    if offset(first) == before { return first }
    let second = wall - after
    return offset(second) == after ? second : first
  }

  /// Returns the same wall time, or the one after the gap if it does not exist.
  public func existing(_ moment: OrgMoment) -> OrgMoment { self.moment(at: seconds(of: moment)) }

  /// Returns the real minutes between two wall times.
  public func minutes(from start: OrgMoment, to end: OrgMoment) -> Int {
    (seconds(of: end) - seconds(of: start)).quotient(by: 60)
  }
}
