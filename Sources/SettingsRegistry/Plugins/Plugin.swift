/// An implementation of a role that the settings file selects by its id, with its own settings.
///
/// The layer above declares a protocol for each role, which refines this one and provides the `role`. A module declares its
/// plugins as `public let plugins: [any Plugin.Type]`.
public protocol Plugin: Sendable {
  /// The settings in the plugin's own table.
  associatedtype Settings: PluginSettings

  /// The name in the settings file: lower-case letters, digits and `-`, unique over all roles.
  static var id: String { get }
  /// One sentence for users: the purpose of the plugin.
  static var summary: String { get }
  /// The role of the plugin.
  static var role: PluginRole { get }
  /// The failpoints that the plugin's code reaches, including those of the modules that it uses. Default: none.
  static var failpoints: [Failpoint] { get }

  /// Creates the plugin from valid settings. It uses neither disk nor network before its first verb is called.
  init(_ settings: Settings, _ context: PluginContext) throws
}

extension Plugin {
  /// The declarations of the plugin's settings.
  public static var declarations: [SettingDeclaration] { Settings.declarations }
  public static var failpoints: [Failpoint] { [] }

  private static var settingsType: any PluginSettings.Type { Settings.self }

  /// True if both plugins have the same settings. Equal types need no declarations, which are found by reflection: that costs a
  /// third of the start of the program.
  static func hasSettings(of other: any Plugin.Type) -> Bool {
    other.settingsType == settingsType || other.declarations == declarations
  }
}

/// The purpose of a plugin, such as a cloud storage. The layer that uses plugins declares the roles.
public struct PluginRole: Sendable, Hashable, CustomStringConvertible {
  /// The name in settings and messages, such as `cloud`.
  public let name: String
  /// The heading over a list of such plugins, such as `Cloud storages`.
  public let title: String

  /// Creates a role. Roles with the same name are equal.
  public init(_ name: String, title: String) {
    self.name = name
    self.title = title
  }

  /// The name.
  public var description: String { name }

  /// Returns true if the names are equal.
  public static func == (first: Self, second: Self) -> Bool { first.name == second.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The context in which a plugin is created.
public struct PluginContext: Sendable, Hashable {
  /// The name of its table in the settings file, such as `remotes.home.webdav`, for messages.
  public var table: String
  /// The folder of the settings file and the environment variables.
  public var environment: SettingsEnvironment

  /// Creates a context of these values.
  public init(table: String, environment: SettingsEnvironment) {
    self.table = table
    self.environment = environment
  }
}
