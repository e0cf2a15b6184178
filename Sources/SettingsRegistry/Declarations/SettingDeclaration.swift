/// The declaration of a setting.
public struct SettingDeclaration: Sendable, Hashable {
  /// The key in the settings file.
  public let key: String
  /// One sentence for a person who does not know the code.
  public let help: String
  /// The form of the value.
  public internal(set) var form: SettingForm
  /// The default in TOML; nil if there is none, or if it is written as nothing.
  public let defaultValue: TOMLValue?
  /// True if the file must contain this setting.
  public let isRequired: Bool
  /// True if the setup asks for the value although it is optional.
  public let isAsked: Bool
  /// True if an invitation may contain the value; see ``SettingOption/shareable``.
  public let isShareable: Bool
  /// True if the value is never shown.
  public let isSecret: Bool
  /// True if the value is the local path of the plugin's files.
  public let isLocalFolder: Bool
  /// True if the value is a file with a secret key.
  public let isPrivateFile: Bool
  /// The range of the value; nil if it is unbounded.
  public let range: SettingRange?
}

/// The minimum and maximum of a setting, in TOML.
public struct SettingRange: Sendable, Hashable {
  /// The minimum.
  public let least: TOMLValue?
  /// The maximum.
  public let greatest: TOMLValue?

  init<Value: SettingValue>(_ range: ClosedRange<Value>) {
    least = range.lowerBound.written
    greatest = range.upperBound.written
  }
}

extension SettingRange: CustomStringConvertible {
  /// `between 1 and 65535`.
  public var description: String {
    "between \(least.map(\.text) ?? "") and \(greatest.map(\.text) ?? "")"
  }
}
