/// A setting with its value in effect, safe to show.
public struct EffectiveSetting: Sendable, Hashable {
  /// The key in the settings file.
  public let key: String
  /// The value in TOML; `"<secret>"` for a secret, nil if there is none.
  public let value: TOMLValue?
  /// The origin of the value.
  public let origin: SettingOrigin
}

/// The origin of a setting's value.
public enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The default of its declaration.
  case `default`
  /// The settings file, at this location.
  case file(TextLocation)
  /// The program, which assigned the property.
  case program

  /// `FILE:LINE:COLUMN`, `default`, or `set by the program`.
  public var description: String {
    switch self {
    case .default: "default"
    case .file(let location): location.description
    case .program: "set by the program"
    }
  }
}
