public import SettingsRegistry

/// The HTTP settings of a plugin: a group that the plugin's settings include.
public struct HTTPSettings: PluginSettings {
  @Setting("Additional trusted CA certificates (PEM).") public var caFile: SettingPath? = nil
  @Setting("Proxy: an address, or `none`. Default: from the environment variables.") public var proxy = ""
  @Setting("Allow plain http to other hosts. Anyone on the network path can read it.") public var plainHttp =
    false
  @Setting("Stall timeout: abort a transfer after this long without progress.") public var timeout = Duration.seconds(
    60)

  /// The default settings.
  public init() {}

  /// Returns why the address in a setting cannot be used: it is plain http to a remote host, which `plain-http` does not allow. Nil
  /// if it can, or is not an address.
  public func refusal(of url: String, in setting: String) -> String? {
    guard let origin = Origin(url), origin.scheme == "http", !origin.isThisMachine, !plainHttp else { return nil }
    return
      "`\(setting)` is not encrypted, so anyone on the network path could read what is sent; use https, or set `plain-http = true`"
  }
}
