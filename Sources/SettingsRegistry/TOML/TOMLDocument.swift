/// A TOML 1.0 document with the place of every key and value, its comments, and all its mistakes.
///
/// Reading goes on at the next line after a mistake, so that one look shows all of them. It takes time in proportion
/// to the length of the text, and nesting is bounded by ``maximumNesting``.
public struct TOMLDocument: Sendable {
  /// How many tables and arrays may stand within each other.
  public static let maximumNesting = 128

  /// What could be read.
  public let root: TOMLTable
  /// All comments in the order of the file.
  public let comments: [TOMLComment]
  /// Everything that TOML 1.0 does not allow, in the order of the file; empty if the document is valid.
  public let mistakes: [Diagnostic]

  /// Reads `bytes`, which must be UTF-8; a byte order mark at the beginning is not part of the text.
  public init(_ bytes: some Sequence<UInt8>, file: String) {
    let text = DecodedText(Array(bytes), file: file)
    var parser = TOMLParser(TOMLScanner(text.scalars, file: file))
    parser.parse()
    root = parser.root.table
    comments = parser.scanner.comments
    mistakes = SettingsError(text.mistakes + parser.scanner.mistakes).diagnostics
  }
}
