/// What a check found wrong, as a sentence for the author of the backend.
public struct CheckFailure: Error, CustomStringConvertible {
  /// What was expected, and what came instead.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Fails the check unless `condition` holds.
func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
  guard condition else { throw CheckFailure(complaint()) }
}
