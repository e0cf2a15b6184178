/// A value and the place where it begins.
public struct TOMLNode: Sendable, Hashable {
  /// The value.
  public var value: TOMLValue
  /// Where it begins; for a table with a header of its own, where the header begins.
  public var location: TextLocation

  /// `value` as it stands at `location`.
  public init(_ value: TOMLValue, at location: TextLocation) {
    self.value = value
    self.location = location
  }
}
