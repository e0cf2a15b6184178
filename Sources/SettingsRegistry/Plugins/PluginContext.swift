/// What a plugin may know of its surroundings when it is made.
public struct PluginContext: Sendable, Hashable {
  /// The name of its table in the settings file, such as `remotes.home.webdav`, for messages.
  public var table: String
  /// The folder of the settings file and the environment variables.
  public var environment: SettingsEnvironment

  /// A context of exactly this.
  public init(table: String, environment: SettingsEnvironment) {
    self.table = table
    self.environment = environment
  }
}
