/// The settings of one table, or the part of them that one plugin brings, as documentation shows them.
public struct SettingsSection: Sendable, Hashable {
  /// The part of a path that stands for any name which the user gives.
  public static let anyName = "*"

  /// The setting that chooses a plugin, and the value by which it does.
  public struct Choice: Sendable, Hashable {
    /// The keys that lead to the table of that setting.
    public let path: [String]
    /// The key of that setting.
    public let key: String
    /// The id of the plugin.
    public let id: String
  }

  /// The keys that lead to the table, such as `remotes`, `*`, `webdav`.
  public let path: [String]
  /// One sentence on what the settings are about.
  public let summary: String
  /// What makes the section count; it always does, if nil.
  public let choice: Choice?
  /// The settings.
  public internal(set) var declarations: [SettingDeclaration]

  /// The settings of `type` in the table at `path`.
  public init(_ path: [String], _ summary: String, _ type: any PluginSettings.Type) {
    self.path = path
    self.summary = summary
    choice = nil
    declarations = type.declarations
  }

  /// The settings of `plugin`, which the setting `key` of the table at `path` chooses.
  public init(
    _ plugin: any Plugin.Type, in path: [String], chosenBy key: String,
    settingsIn place: SettingsTable.PluginPlace = .ownTable
  ) {
    self.path = place == .ownTable ? path + [plugin.id] : path
    summary = plugin.summary
    choice = Choice(path: path, key: key, id: plugin.id)
    declarations = plugin.declarations
  }
}
