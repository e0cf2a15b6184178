/// The least and the greatest value that a setting may have, as they are written.
public struct SettingRange: Sendable, Hashable {
  /// The least value.
  public let least: TOMLValue?
  /// The greatest value.
  public let greatest: TOMLValue?

  init<Value: SettingValue>(_ range: ClosedRange<Value>) {
    least = range.lowerBound.written
    greatest = range.upperBound.written
  }
}

extension SettingRange: CustomStringConvertible {
  /// `between 1 and 65535`.
  public var description: String {
    "between \(least.map(\.text) ?? "") and \(greatest.map(\.text) ?? "")"
  }
}
