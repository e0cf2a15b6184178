/// A settings file that was parsed but not interpreted yet.
public struct SettingsFile: Sendable {
  /// Its content.
  public let document: TOMLDocument
  /// The context for its values.
  public let environment: SettingsEnvironment
  private let file: String

  /// Parses `content`; `file` is its name in messages.
  public init(_ content: some Sequence<UInt8>, file: String, environment: SettingsEnvironment) {
    document = TOMLDocument(content, file: file)
    self.environment = environment
    self.file = file
  }

  /// Reads the file at `path`, with the environment of this process.
  public init(path: String) throws(SettingsError) {
    do throws(SmallFile.Refusal) {
      let content = try SmallFile(path: path, sizeLimit: Self.sizeLimit).content()
      self.init(content, file: path, environment: .current(forFileAt: path))
    } catch {
      throw SettingsError(error.message, at: TextLocation(file: path))
    }
  }

  /// The maximum length of a settings file in bytes.
  private static let sizeLimit = 1 << 20

  /// Interprets the file: `compose` reads the tables that it knows, starting at the root, and returns a value.
  ///
  /// The value is returned only if the file has no errors: of syntax, an unknown or missing setting, a wrong type, or one that
  /// `compose` reported. Otherwise all errors are thrown. `compose` is called with settings that may be invalid, so it must
  /// read required ones as `settings.$name.value`, and have no side effects.
  public func read<Meaning>(_ compose: (SettingsTable) -> Meaning) throws(SettingsError) -> Meaning {
    let reading = SettingsReading(environment, mistakes: document.mistakes)
    let start = TextLocation(file: file)
    let root = SettingsTable(path: [], TOMLNode(.table(document.root), at: start), or: start, reading)
    let meaning = compose(root)
    root.reportUnknownKeys()
    guard reading.mistakes.isEmpty else { throw SettingsError(reading.mistakes) }
    return meaning
  }
}

/// The state that all tables of a file share while it is read.
final class SettingsReading {
  let environment: SettingsEnvironment
  private(set) var mistakes: [Diagnostic]
  /// True if the syntax is valid. If not, a setting that seems to be missing may be in the invalid part.
  let isComplete: Bool

  init(_ environment: SettingsEnvironment, mistakes: [Diagnostic]) {
    self.environment = environment
    self.mistakes = mistakes
    isComplete = mistakes.isEmpty
  }

  func report(_ mistakes: [Diagnostic]) {
    self.mistakes += mistakes
  }
}
