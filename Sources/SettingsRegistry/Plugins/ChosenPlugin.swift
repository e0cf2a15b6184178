/// A plugin that the settings file selects, with its settings, ready to be created.
public struct ChosenPlugin: Sendable {
  /// The chosen type.
  public let type: any Plugin.Type
  /// Its settings.
  public let settings: any PluginSettings
  /// The plugin's context.
  public let context: PluginContext
  private let build: @Sendable () throws -> any Plugin

  /// Creates the choice of `type` with `settings`.
  public init<Chosen: Plugin>(_ type: Chosen.Type, settings: Chosen.Settings, context: PluginContext) {
    self.type = type
    self.settings = settings
    self.context = context
    build = { try Chosen(settings, context) }
  }

  /// Creates the plugin as the protocol of its role, such as `any CloudStorage`. The settings must have no mistakes.
  /// Throws ``RegistryError/unfit(id:type:wanted:)`` if the type does not conform.
  public func make<Role>(as role: Role.Type = Role.self) throws -> Role {
    guard let plugin = try build() as? Role else {
      throw RegistryError.unfit(id: type.id, type: String(reflecting: type), wanted: String(describing: role))
    }
    return plugin
  }
}
