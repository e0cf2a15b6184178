/// An error in a settings file, with its location and a suggestion.
///
/// A message names keys and types but never quotes a value that may be secret.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// The location of the error.
  public var location: TextLocation
  /// The error message for people, without a full stop.
  public var message: String
  /// The known name that is nearest to the one in the file; nil if none is near.
  public var suggestion: String?

  /// Creates an error at `location`.
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

/// A location in a settings file. Lines and columns count from 1, columns in Unicode scalars.
public struct TextLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The file as the user named it.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int

  /// Creates a location in `file`. Default: its beginning.
  public init(file: String, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `FILE:LINE:COLUMN`, as editors and compilers understand it.
  public var description: String { "\(file):\(line):\(column)" }

  /// Advances over `scalar`, which is at this location.
  mutating func advance(over scalar: Unicode.Scalar) {
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }

  /// Orders the locations of a file as they are read.
  public static func < (first: Self, second: Self) -> Bool {
    (first.file, first.line, first.column) < (second.file, second.line, second.column)
  }
}

/// All errors in the rejected settings, in file order.
public struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The errors; never empty.
  public let diagnostics: [Diagnostic]

  /// Creates an error from these, sorted and without duplicates.
  public init(_ diagnostics: [Diagnostic]) {
    var seen: Set<Diagnostic> = []
    self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.sorted { $0.location < $1.location }
  }

  /// Creates an error with one diagnostic.
  public init(_ message: String, at location: TextLocation, suggestion: String? = nil) {
    self.init([Diagnostic(message, at: location, suggestion: suggestion)])
  }

  /// One error per line, in the form of ``Diagnostic/description``.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
