/// A plugin that the settings file chose, with its settings read: ready to be made.
public struct ChosenPlugin: Sendable {
  /// The type that was chosen.
  public let type: any Plugin.Type
  /// Its settings, for showing them.
  public let settings: any PluginSettings
  /// What it will know of its surroundings.
  public let context: PluginContext
  private let build: @Sendable () throws -> any Plugin

  /// `type`, to be made from `settings`.
  public init<Chosen: Plugin>(_ type: Chosen.Type, settings: Chosen.Settings, context: PluginContext) {
    self.type = type
    self.settings = settings
    self.context = context
    build = { try Chosen(settings, context) }
  }

  /// Makes the plugin as what its role wants, such as `any CloudStorage`. Only for settings without mistakes.
  public func make<Role>(as role: Role.Type = Role.self) throws -> Role {
    guard let plugin = try build() as? Role else {
      throw RegistryError.unfit(id: type.id, type: String(reflecting: type), wanted: String(describing: role))
    }
    return plugin
  }
}
