public import SettingsRegistry

/// How a plugin reaches its server by HTTP: a group of settings that the settings of the plugin include.
public struct HTTPSettings: PluginSettings {
  @Setting("Additional trusted CA certificates (PEM).") public var caFile: SettingPath? = nil
  @Setting("Proxy: an address, or `none`. Default: as the environment says.") public var proxy = ""
  @Setting("Allow http, which others on the way can read, to hosts other than this machine.") public var plainHttp =
    false
  @Setting("Stall timeout: abort a transfer after this long without progress.") public var timeout = Duration.seconds(
    60)

  /// The default settings.
  public init() {}
}
