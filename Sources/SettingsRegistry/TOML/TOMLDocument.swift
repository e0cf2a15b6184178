/// A TOML 1.0 document with the location of every key and value, its comments, and all its errors.
///
/// After an error, parsing continues at the next line, so that all errors are found at once. It takes linear time, and nesting
/// is limited by ``maximumNesting``.
public struct TOMLDocument: Sendable {
  /// The maximum nesting of tables and arrays.
  public static let maximumNesting = 128

  /// The tables and values that could be parsed.
  public let root: TOMLTable
  /// All comments in the order of the file.
  public let comments: [TOMLComment]
  /// All statements that are valid, in the order of the file.
  let statements: [TOMLStatement]
  /// All violations of TOML 1.0, in the order of the file; empty if the document is valid.
  public let mistakes: [Diagnostic]

  /// Parses `bytes`, which must be UTF-8. A byte order mark at the beginning is skipped.
  public init(_ bytes: some Sequence<UInt8>, file: String) {
    let text = DecodedText(Array(bytes), file: file)
    var parser = TOMLParser(TOMLScanner(text.scalars, file: file))
    parser.parse()
    root = parser.root.table
    comments = parser.scanner.comments
    statements = parser.statements
    mistakes = SettingsError(text.mistakes + parser.scanner.mistakes).diagnostics
  }
}

/// A comment of a TOML document.
public struct TOMLComment: Sendable, Hashable {
  /// The text after the `#`.
  public let text: String
  /// The location of the `#`.
  public let location: TextLocation
}
