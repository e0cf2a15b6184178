extension SettingsTable {
  /// The table with the settings of a selected plugin.
  public enum PluginTable: Sendable {
    /// A table within this one, named by the plugin's id.
    case ownTable
    /// This table, among the other settings.
    case thisTable
  }

  /// Returns the plugin whose id is the value of `setting`, with its settings.
  ///
  /// Returns nil if the plugin is unknown, which is reported as an error, or if the id is ``Registry/none`` and that is
  /// the default.
  public func plugin(
    _ role: PluginRole, chosenBy setting: Setting<String>, from registry: Registry,
    settingsIn place: PluginTable = .ownTable
  ) -> ChosenPlugin? {
    guard setting.value != Registry.none || setting.defaultValue != Registry.none else { return nil }
    return plugin(role, setting.value, at: setting.origin, registry, place)
  }

  /// Returns the plugin whose id is the value of `setting`, with its settings.
  ///
  /// Returns nil if the plugin is unknown, which is reported as an error, or if the id is missing or ``Registry/none``.
  public func plugin(
    _ role: PluginRole, chosenBy setting: Setting<String?>, from registry: Registry,
    settingsIn place: PluginTable = .ownTable
  ) -> ChosenPlugin? {
    guard setting.value != Registry.none else { return nil }
    return plugin(role, setting.value ?? nil, at: setting.origin, registry, place)
  }

  private func plugin(
    _ role: PluginRole, _ id: String?, at origin: SettingOrigin, _ registry: Registry, _ place: PluginTable
  ) -> ChosenPlugin? {
    guard let id else { return nil }
    do throws(UnknownPluginError) {
      return settings(of: try registry.plugin(role, id), in: place)
    } catch {
      report(error.message, at: origin.location, suggestion: error.suggestion)
      readSettings(ofUnknown: error, registry, place)
      return nil
    }
  }

  private func settings(of plugin: any Plugin.Type, in place: PluginTable) -> ChosenPlugin {
    switch place {
    case .ownTable: table(plugin.id).settings(of: plugin)
    case .thisTable: settings(of: plugin)
    }
  }

  /// Reads the settings of an unknown plugin as those of the suggested plugin, to report the errors in them.
  private func readSettings(ofUnknown error: UnknownPluginError, _ registry: Registry, _ place: PluginTable) {
    if let meant = error.suggestion, let plugin = try? registry.plugin(error.role, meant) {
      if place == .thisTable || contains(meant) { _ = settings(of: plugin, in: place) }
    } else if place == .thisTable {
      expectAnything()
    }
    if place == .ownTable { expect(error.id) }
  }

  /// Returns `plugin` with the settings in this table.
  public func settings<Chosen: Plugin>(of plugin: Chosen.Type) -> ChosenPlugin {
    let context = PluginContext(table: name, environment: environment)
    return ChosenPlugin(plugin, settings: settings(Chosen.Settings.self), context: context)
  }
}

extension SettingOrigin {
  /// The location in the settings file; nil if the value has another origin.
  public var location: TextLocation? {
    if case .file(let location) = self { location } else { nil }
  }
}
