public import SyncKit

/// The table `[hub]`: its presence makes the service serve browsers and phones.
public struct HubSettings: PluginSettings {
  @Setting("Address to listen at: a port, or an IP address with a port. Other addresses than loopback need [hub.tls].")
  public var listen = ListenAddress(port: 8484)
  @Setting("Names by which devices reach the hub, without ports.")
  public var hosts: [String] = []
  @Setting(
    "IP addresses of proxies that encrypt connections and pass them on without TLS; other machines are then refused.")
  public var behind: [String] = []
  @Setting(
    "Store to serve, if there are several: its name in [stores], or store for [store]. Default: as for a remote.")
  public var store: String?

  public init() {}

  public var contradictions: [String] {
    hosts.filter { $0.isEmpty || $0.contains("/") || ($0.contains(":") && !$0.hasPrefix("[")) }
      .map { "`hosts` must be names without ports, such as \"hub.example.org\", not \"\($0)\"" }
      + behind.filter { IPAddress(text: $0) == nil }.map { "`behind` must be IP addresses, not \"\($0)\"" }
  }
}

/// The table `[hub.tls]`: how the hub encrypts connections.
public struct HubTLSSettings: PluginSettings {
  @Setting("File with the certificate and those of its issuers (PEM). It is read again when it changes.")
  public var certificate: SettingPath?
  @Setting("File with the private key (PEM).", .privateFile)
  public var key: SettingPath?

  public init() {}

  public var contradictions: [String] {
    (certificate == nil) == (key == nil) ? [] : ["[hub.tls] needs both `certificate` and `key`"]
  }
}

/// The table `[hub.push]`: how the hub sends reminders to devices that ask for them.
public struct HubPushSettings: PluginSettings {
  @Setting(
    "Hosts of further push services, such as your own, each with a port unless it is 443. The services of Chrome, Firefox, Safari and Edge are known."
  )
  public var hosts: [String] = []
  @Setting(
    "Address at which a push service can complain about your reminders: mailto: or https:. Default: the first of `hosts` in [hub]."
  )
  public var contact: String?

  public init() {}

  public var contradictions: [String] {
    let isContact = contact.map { text in
      (text.hasPrefix("mailto:") || text.hasPrefix("https:"))
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
    return hosts.filter { $0.isEmpty || $0.contains("/") }
      .map { "`hosts` must be hosts such as \"push.example.org\", not \"\($0)\"" }
      + (isContact == false ? ["`contact` must be an address such as \"mailto:ann@example.org\""] : [])
  }
}

/// The hub in the settings.
public struct HubConfiguration: Sendable {
  /// The settings of `[hub]`.
  public var settings: HubSettings
  /// The settings of `[hub.tls]`.
  public var tls: HubTLSSettings
  /// The settings of `[hub.push]`.
  public var push: HubPushSettings
  /// The name of the store that the hub serves.
  public var storeName: String

  /// A hub with the default settings.
  package init(storeName: String) {
    (settings, tls, push, self.storeName) = (HubSettings(), HubTLSSettings(), HubPushSettings(), storeName)
  }

  init?(_ root: SettingsTable, stores: StoreTables) {
    guard root.contains("hub") else { return nil }
    let table = root.table("hub")
    settings = table.settings(HubSettings.self)
    tls = table.table("tls").settings(HubTLSSettings.self)
    push = table.table("push").settings(HubPushSettings.self)
    storeName = stores.name(chosenBy: settings.$store, in: table)
    if let refusal { table.report(refusal, at: settings.$listen.origin.location) }
  }

  /// The reason why the hub must not listen at its address; nil if it may. Nothing is open to other machines without encryption.
  package var refusal: String? {
    guard !settings.listen.isLoopback, tls.certificate == nil, settings.behind.isEmpty else { return nil }
    return """
      cannot listen at \(settings.listen.text), which is not a loopback address, without encryption: everyone on the network could \
      read the entries. Set `certificate` and `key` in [hub.tls], or name the proxy that encrypts connections in `behind` of [hub]
      """
  }

  var effective: [EffectiveTable] {
    let tables = [EffectiveTable("hub", settings), EffectiveTable("hub.push", push)]
    return tables + (tls.certificate == nil ? [] : [EffectiveTable("hub.tls", tls)])
  }
}
