import SettingsRegistry

/// Roles and plugins of the shape that the layers above have, to read whole settings files with.
extension PluginRole {
  static let store = PluginRole("store", title: "Stores")
  static let sync = PluginRole("sync", title: "Sync backends")
  static let cloud = PluginRole("cloud", title: "Cloud storages")
  static let encryption = PluginRole("encryption", title: "Encryptions")
}

protocol StubCloud: Plugin {}

extension StubCloud {
  static var role: PluginRole { .cloud }
}

struct WebDAVStub: StubCloud {
  static let id = "webdav"
  static let summary = "A folder on a WebDAV server."

  struct Settings: PluginSettings {
    @Setting("Address of the folder.") var url: String
    @Setting("User name.") var user = ""
    @Setting("Password.", .secret) var password: Secret? = nil
    @Setting("Certificates that are trusted.") var caFile: String? = nil
    init() {}
  }

  let settings: Settings
  let context: PluginContext

  init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }
}
