/// What else a setting's declaration says of its value.
public struct SettingOption<Value>: Sendable {
  enum Meaning: Sendable {
    case secret
    case asked
    case localFolder
    case range(SettingRange, contains: @Sendable (Value) -> Bool)
  }

  let meaning: Meaning

  /// The value is never shown, logged or quoted in a message. Implied by the type ``Secret``.
  public static var secret: Self { Self(meaning: .secret) }

  /// Whoever sets the plugin up is asked for the value, although it need not be set: most people need it.
  public static var asked: Self { Self(meaning: .asked) }
}

extension SettingOption where Value == SettingPath {
  /// The value is where on this machine the plugin keeps the files that it is given: a folder, or one file that holds them
  /// all. Settings in which such folders overlap are refused, and the program checks that it can write there.
  public static var localFolder: Self { Self(meaning: .localFolder) }
}

extension SettingOption where Value == SettingPath? {
  /// The value, if there is one, is where on this machine the plugin keeps the files that it is given.
  public static var localFolder: Self { Self(meaning: .localFolder) }
}

extension SettingOption where Value: SettingValue & Comparable {
  /// The value lies in `range`.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    Self(meaning: .range(SettingRange(range)) { range.contains($0) })
  }
}

extension SettingOption {
  /// The value, if there is one, lies in `range`.
  public static func range<Wrapped>(_ range: ClosedRange<Wrapped>) -> Self
  where Value == Wrapped?, Wrapped: SettingValue & Comparable {
    Self(meaning: .range(SettingRange(range)) { $0.map(range.contains) ?? true })
  }
}
