/// Settings that are refused, with every mistake that was found, in the order of the file.
public struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// All mistakes; never empty.
  public let diagnostics: [Diagnostic]

  /// Sorts `diagnostics` and drops repetitions.
  public init(_ diagnostics: [Diagnostic]) {
    var seen: Set<Diagnostic> = []
    self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.sorted { $0.location < $1.location }
  }

  /// A single mistake.
  public init(_ message: String, at location: TextLocation, suggestion: String? = nil) {
    self.init([Diagnostic(message, at: location, suggestion: suggestion)])
  }

  /// One mistake a line, as ``Diagnostic/description`` writes it.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
