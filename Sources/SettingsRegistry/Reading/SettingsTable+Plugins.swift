extension SettingsTable {
  /// Where a chosen plugin finds its settings.
  public enum PluginPlace: Sendable {
    /// In a table within this one that is named by the plugin's id.
    case ownTable
    /// In this table, among the other settings.
    case thisTable
  }

  /// The plugin whose id `setting` holds, with its settings.
  ///
  /// It is nil if there is no such plugin, which is reported, or if the id is ``Registry/none`` and that is the default.
  public func plugin(
    _ role: PluginRole, chosenBy setting: Setting<String>, from registry: Registry,
    settingsIn place: PluginPlace = .ownTable
  ) -> ChosenPlugin? {
    guard setting.value != Registry.none || setting.standard != Registry.none else { return nil }
    return plugin(role, setting.value, at: setting.origin, registry, place)
  }

  /// The plugin whose id `setting` holds, with its settings.
  ///
  /// It is nil if there is no such plugin, which is reported, or if there is no id or it is ``Registry/none``.
  public func plugin(
    _ role: PluginRole, chosenBy setting: Setting<String?>, from registry: Registry,
    settingsIn place: PluginPlace = .ownTable
  ) -> ChosenPlugin? {
    guard setting.value != Registry.none else { return nil }
    return plugin(role, setting.value ?? nil, at: setting.origin, registry, place)
  }

  private func plugin(
    _ role: PluginRole, _ id: String?, at origin: SettingOrigin, _ registry: Registry, _ place: PluginPlace
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

  private func settings(of plugin: any Plugin.Type, in place: PluginPlace) -> ChosenPlugin {
    switch place {
    case .ownTable: table(plugin.id).settings(of: plugin)
    case .thisTable: settings(of: plugin)
    }
  }

  /// Reads the settings of an unknown plugin as those of the one that was probably meant, to report what is wrong there.
  private func readSettings(ofUnknown error: UnknownPluginError, _ registry: Registry, _ place: PluginPlace) {
    if let meant = error.suggestion, let plugin = try? registry.plugin(error.role, meant) {
      if place == .thisTable || contains(meant) { _ = settings(of: plugin, in: place) }
    } else if place == .thisTable {
      expectAnything()
    }
    if place == .ownTable { expect(error.id) }
  }

  /// `plugin` with the settings that this table has for it.
  public func settings<Chosen: Plugin>(of plugin: Chosen.Type) -> ChosenPlugin {
    let context = PluginContext(table: name, environment: environment)
    return ChosenPlugin(plugin, settings: settings(Chosen.Settings.self), context: context)
  }
}

extension SettingOrigin {
  /// The place in the settings file, if the value comes from there.
  public var location: TextLocation? {
    if case .file(let location) = self { location } else { nil }
  }
}
