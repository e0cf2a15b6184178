/// The failure of a check, described for the author of the backend.
public struct CheckFailure: Error, CustomStringConvertible {
  /// The expected and the actual result.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Fails the check unless `condition` holds.
func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
  guard condition else { throw CheckFailure(complaint()) }
}
