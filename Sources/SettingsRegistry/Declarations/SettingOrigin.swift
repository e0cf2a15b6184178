/// Where the value of a setting comes from.
public enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The declaration.
  case standard
  /// This place of the settings file.
  case file(TextLocation)
  /// The program, which set the property.
  case program

  /// `FILE:LINE:COLUMN`, `default`, or `set by the program`.
  public var description: String {
    switch self {
    case .standard: "default"
    case .file(let location): location.description
    case .program: "set by the program"
    }
  }
}
