/// A property of a setting's value beyond its type.
public struct SettingOption<Value>: Sendable {
  enum Meaning: Sendable {
    case secret
    case asked
    case shareable
    case localFolder
    case privateFile
    case range(SettingRange, contains: @Sendable (Value) -> Bool)
  }

  let meaning: Meaning

  /// The value is never shown, logged or quoted in a message. The type ``Secret`` implies it.
  public static var secret: Self { Self(meaning: .secret) }

  /// The setup asks for the value, because most people need it, although it is optional.
  public static var asked: Self { Self(meaning: .asked) }

  /// The value has the same meaning on every device, and a value from an attacker can neither run a program, nor read a file or
  /// a variable of this device, nor send its passwords to another host. An invitation contains such settings only.
  public static var shareable: Self { Self(meaning: .shareable) }
}

extension SettingOption where Value == SettingPath {
  /// The value is the local path of the plugin's files: a folder, or one file that contains them all. Settings with overlapping
  /// local folders are rejected, and a diagnosis checks that the program can write there.
  public static var localFolder: Self { Self(meaning: .localFolder) }
}

extension SettingOption where Value == SettingPath? {
  /// The value, if there is one, is the local path of the plugin's files.
  public static var localFolder: Self { Self(meaning: .localFolder) }

  /// The value, if there is one, is a file with a secret key. A diagnosis reports it if other users may read it.
  public static var privateFile: Self { Self(meaning: .privateFile) }
}

extension SettingOption where Value: SettingValue & Comparable {
  /// The value is in `range`.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    Self(meaning: .range(SettingRange(range)) { range.contains($0) })
  }
}

extension SettingOption {
  /// The value, if there is one, is in `range`.
  public static func range<Wrapped>(_ range: ClosedRange<Wrapped>) -> Self
  where Value == Wrapped?, Wrapped: SettingValue & Comparable {
    Self(meaning: .range(SettingRange(range)) { $0.map(range.contains) ?? true })
  }
}
