/// A settings file that was parsed but not yet given a meaning.
public struct SettingsFile: Sendable {
  /// What it says.
  public let document: TOMLDocument
  /// What its values may refer to.
  public let environment: SettingsEnvironment
  private let file: String

  /// The file's content; `file` is its name in messages.
  public init(_ content: some Sequence<UInt8>, file: String, environment: SettingsEnvironment) {
    document = TOMLDocument(content, file: file)
    self.environment = environment
    self.file = file
  }

  /// The file at `path`, with the environment of this process.
  public init(path: String) throws(SettingsError) {
    do throws(SmallFile.Refusal) {
      let content = try SmallFile(path: path, sizeLimit: Self.sizeLimit).content()
      self.init(content, file: path, environment: .current(forFileAt: path))
    } catch {
      throw SettingsError(error.message, at: TextLocation(file: path))
    }
  }

  /// What no sensible settings file is longer than, in bytes.
  private static let sizeLimit = 1 << 20

  /// Gives the file a meaning: `compose` takes what it knows out of the root table and makes a value of it.
  ///
  /// The value is returned only if the whole file has no mistake: syntax, unknown, missing, ill-typed and all that
  /// `compose` reported. Otherwise all of them are thrown. `compose` itself meets settings that may still be wrong,
  /// so it reads required ones as `settings.$name.value`, and makes nothing out of them that has effects.
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
