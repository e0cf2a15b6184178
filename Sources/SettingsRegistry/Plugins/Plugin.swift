/// Something that is chosen by its id in the settings file and brings settings of its own.
///
/// The layer above declares a protocol for each role, which refines this one and gives the `role`. A module offers its
/// plugins as `public let plugins: [any Plugin.Type]`.
public protocol Plugin: Sendable {
  /// The settings of this plugin's own table.
  associatedtype Settings: PluginSettings

  /// The name in the settings file: lower-case letters, digits and `-`, and the only plugin of that name in any role.
  static var id: String { get }
  /// One sentence for a person who wonders what the plugin is for.
  static var summary: String { get }
  /// What the plugin is for.
  static var role: PluginRole { get }
  /// The failpoints that the plugin's code reaches, those of the modules that it stands on included. Default: none.
  static var failpoints: [Failpoint] { get }

  /// Makes the plugin from settings without mistakes. Touches neither disk nor network: that is for later, when it works.
  init(_ settings: Settings, _ context: PluginContext) throws
}

extension Plugin {
  /// The declarations of the plugin's settings.
  public static var declarations: [SettingDeclaration] { Settings.declarations }
  public static var failpoints: [Failpoint] { [] }
}
