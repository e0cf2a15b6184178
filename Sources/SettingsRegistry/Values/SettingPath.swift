/// A path of this machine. In a settings file `~` and `${NAME}` expand, and it is relative to the file's folder.
public struct SettingPath: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The absolute path once it was read; as written in a declaration's default.
  public let path: String

  /// A default, which expands when the settings are read.
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
      throw SettingsError("\(Self.form.name) is expected here", at: node.location)
    }
    path = try environment.absolutePath(text, at: node.location)
  }

  /// The path as a string.
  public var written: TOMLValue? { .string(path) }
}

extension SettingsEnvironment {
  /// The absolute path that `text` means in the settings file.
  func absolutePath(_ text: String, at location: TextLocation) throws(SettingsError) -> String {
    let isInHome = text == "~" || text.hasPrefix("~/")
    let path = try expanded(isInHome ? "${HOME}" + text.dropFirst() : text, at: location)
    if path.hasPrefix("/") { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }
}
