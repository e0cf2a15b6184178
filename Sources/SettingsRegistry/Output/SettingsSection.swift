/// The settings of one table, as documentation shows them.
public struct SettingsSection: Sendable, Hashable {
  /// The part of a path that stands for any name which the user gives.
  public static let anyName = "*"

  /// A setting of the same table which decides whether this section counts.
  public struct Condition: Sendable, Hashable {
    /// The key of that setting.
    public let key: String
    /// The value it must have.
    public let value: String

    /// `key` must have `value`.
    public init(_ key: String, _ value: String) {
      self.key = key
      self.value = value
    }
  }

  /// The keys that lead to the table, such as `remotes`, `*`, `webdav`.
  public let path: [String]
  /// One sentence on what the table is about.
  public let summary: String
  /// When the section counts; always, if nil.
  public let condition: Condition?
  /// The settings.
  public let declarations: [SettingDeclaration]

  /// The settings of `type` in the table at `path`.
  public init(_ path: [String], _ summary: String, _ type: any PluginSettings.Type, when condition: Condition? = nil) {
    self.path = path
    self.summary = summary
    self.condition = condition
    declarations = type.declarations
  }

  /// The settings of `plugin` in the table at `path`.
  public init(_ path: [String], _ plugin: any Plugin.Type, when condition: Condition? = nil) {
    self.init(path, plugin.summary, Self.settings(of: plugin), when: condition)
  }

  private static func settings<P: Plugin>(of plugin: P.Type) -> any PluginSettings.Type { P.Settings.self }
}
