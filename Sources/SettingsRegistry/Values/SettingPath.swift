/// A path on this machine. In a settings file `~` and `${NAME}` are expanded, and a relative path starts at the file's
/// folder.
public struct SettingPath: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The absolute path; in the default of a declaration, the path as written there.
  public let path: String

  /// Creates a default, which is expanded when the settings are read.
  public init(stringLiteral path: String) { self.path = path }
}

extension SettingPath: SettingValue {
  /// Any text but the empty one.
  public static var form: SettingForm {
    SettingForm("a path", schema: ["type": "string", "minLength": 1])
  }

  /// Reads a string and makes it absolute.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw SettingsError("expected \(Self.form.name)", at: node.location)
    }
    path = try environment.absolutePath(text, at: node.location)
  }

  /// The path as a string.
  public var written: TOMLValue? { .string(path) }
}

extension SettingsEnvironment {
  /// Returns the absolute path of `text` in the settings file.
  func absolutePath(_ text: String, at location: TextLocation) throws(SettingsError) -> String {
    let isInHome = text == "~" || text.hasPrefix("~/")
    let path = try expanded(isInHome ? "${HOME}" + text.dropFirst() : text, at: location)
    if path.hasPrefix("/") { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }
}

extension SettingPath {
  /// Reads the file. Throws ``SettingsFileError`` if it is not a plain file or is longer than `limit` bytes.
  public func content(atMost limit: Int) throws -> [UInt8] {
    do throws(SmallFile.Refusal) { return try SmallFile(path: path, sizeLimit: limit).content() } catch {
      throw SettingsFileError(message: error.message)
    }
  }
}

/// The reason why a file that a setting names cannot be used, as a sentence without a full stop.
public struct SettingsFileError: Error, CustomStringConvertible {
  let message: String
  /// The message.
  public var description: String { message }
}
