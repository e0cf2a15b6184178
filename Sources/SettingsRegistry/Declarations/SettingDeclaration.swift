/// What is known of a setting before any file is read.
public struct SettingDeclaration: Sendable, Hashable {
  /// The key in the settings file.
  public let key: String
  /// One sentence for a person who does not know the code.
  public let help: String
  /// How the value is written.
  public internal(set) var form: SettingForm
  /// The default as a settings file would have it; nil if there is none, or if it is written as nothing.
  public let defaultValue: TOMLValue?
  /// True if the file must have this setting.
  public let isRequired: Bool
  /// True if a person who sets the plugin up is asked for it although the file need not have it.
  public let isAsked: Bool
  /// True if the value is never shown.
  public let isSecret: Bool
  /// True if the value is where on this machine the plugin keeps its files.
  public let isLocalFolder: Bool
  /// The range of the value; nil if it is unbounded.
  public let range: SettingRange?
}

/// The least and the greatest value of a setting, as a settings file has them.
public struct SettingRange: Sendable, Hashable {
  /// The least value.
  public let least: TOMLValue?
  /// The greatest value.
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
