public import SettingsRegistry

/// The HTTP settings of a plugin: a group that the plugin's settings include.
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
