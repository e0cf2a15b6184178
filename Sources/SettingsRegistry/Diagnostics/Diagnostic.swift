/// One mistake in a settings file, where it is, and what was probably meant.
///
/// A message names keys and types but never quotes a value that may be secret.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the mistake is.
  public var location: TextLocation
  /// What is wrong, for a person, without a full stop.
  public var message: String
  /// The known name that is nearest to what was written, if one is near.
  public var suggestion: String?

  /// A mistake at `location`.
  public init(_ message: String, at location: TextLocation, suggestion: String? = nil) {
    self.location = location
    self.message = message
    self.suggestion = suggestion
  }

  /// `FILE:LINE:COLUMN: message (did you mean "…"?)`.
  public var description: String {
    "\(location): \(message)" + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? "")
  }
}
