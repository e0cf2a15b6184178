/// A setting with the value it has, safe to be shown.
public struct EffectiveSetting: Sendable, Hashable {
  /// The key in the settings file.
  public let key: String
  /// The value as TOML; `"<secret>"` if it is secret, nil if there is none.
  public let value: TOMLValue?
  /// Where the value comes from.
  public let origin: SettingOrigin
}
