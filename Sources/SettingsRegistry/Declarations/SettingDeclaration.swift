/// All that is known of a setting before any file is read.
public struct SettingDeclaration: Sendable, Hashable {
  /// The key in the settings file.
  public let key: String
  /// One sentence for a person who does not know the code.
  public let help: String
  /// How the value is written.
  public internal(set) var form: SettingForm
  /// The default as it would be written; nil if there is none, or if nothing stands for it.
  public let standard: TOMLValue?
  /// Whether the file must have this setting.
  public let isRequired: Bool
  /// Whether a person who sets the plugin up is asked for it although the file need not have it.
  public let isAsked: Bool
  /// Whether the value is never shown.
  public let isSecret: Bool
  /// Whether the value is where on this machine the plugin keeps the files that it is given.
  public let isLocalFolder: Bool
  /// What the value must lie in, if that is bounded.
  public let range: SettingRange?
}
