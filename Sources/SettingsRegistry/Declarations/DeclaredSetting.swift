/// A ``Setting`` whatever its type.
protocol DeclaredSetting: Sendable {
  /// Whether the file must have it.
  var isRequired: Bool { get }
  /// All that is known of it before reading.
  func declaration(key: String) -> SettingDeclaration
  /// The value it has.
  func effective(key: String) -> EffectiveSetting
  /// Takes the value from `node`.
  func read(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError)
  /// Takes the default; mistakes in it are reported at `location`.
  func readStandard(in environment: SettingsEnvironment, at location: TextLocation) throws(SettingsError)
}
