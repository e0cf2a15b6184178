import SettingsRegistry

/// Roles and plugins like those of higher layers, for reading whole settings files.
extension PluginRole {
  static let store = PluginRole("store", title: "Stores")
  static let sync = PluginRole("sync", title: "Sync backends")
  static let cloud = PluginRole("cloud", title: "Cloud storages")
  static let encryption = PluginRole("encryption", title: "Encryptions")
}

protocol StubCloud: Plugin {
  var address: String { get }
}

extension StubCloud {
  static var role: PluginRole { .cloud }
}

struct WebDAVStub: StubCloud {
  static let id = "webdav"
  static let summary = "A folder on a WebDAV server."

  struct Settings: PluginSettings {
    @Setting("Address of the folder.") var url: URLText
    @Setting("User name.") var user = ""
    @Setting("Password.", .secret) var password: Secret? = nil
    @Setting("File of the certificates that are trusted.") var caFile: SettingPath? = nil
    @Setting("Requests at the same time.", .range(1...64)) var requests = 8
    init() {}

    var contradictions: [String] {
      password != nil && user.isEmpty ? ["\"password\" is of no use without \"user\""] : []
    }
  }

  let settings: Settings
  let context: PluginContext

  init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  var address: String { settings.url.text }
}

struct DropboxStub: StubCloud {
  static let id = "dropbox"
  static let summary = "A Dropbox folder."
  struct Settings: PluginSettings {
    @Setting("The app's key.") var appKey: String
    @Setting("The token that signing in gave.", .secret) var refreshToken: Secret
    init() {}
  }
  let address = "dropbox"
  init(_ settings: Settings, _ context: PluginContext) {}
}

struct PlainFilesStub: Plugin {
  static let id = "plain-files"
  static let summary = "The files as they are."
  static let role = PluginRole.sync
  init(_ settings: NoSettings, _ context: PluginContext) {}
}

struct OrgMobileStub: Plugin {
  static let id = "org-mobile"
  static let summary = "What MobileOrg reads and writes."
  static let role = PluginRole.sync
  enum Side: String, CaseIterable, SettingValue {
    case mobile, desktop
  }
  struct Settings: PluginSettings {
    @Setting("Which side of the exchange this is.") var role = Side.mobile
    @Setting("Where captured entries go.") var inbox: SettingPath? = nil
    init() {}
  }
  init(_ settings: Settings, _ context: PluginContext) {}
}

struct AgeStub: Plugin {
  static let id = "age"
  static let summary = "Encryption by age."
  static let role = PluginRole.encryption
  struct Settings: PluginSettings {
    @Setting("Public keys.") var recipients: [String]
    init() {}
  }
  init(_ settings: Settings, _ context: PluginContext) {}
}

struct OrgFilesStub: Plugin {
  static let id = "org-files"
  static let summary = "A folder of Org files."
  static let role = PluginRole.store
  struct Settings: PluginSettings {
    @Setting("The folder.") var path: SettingPath
    init() {}
  }
  let path: String
  init(_ settings: Settings, _ context: PluginContext) { path = settings.path.path }
}

extension Registry {
  static func stubs() throws -> Registry {
    try Registry([
      WebDAVStub.self, DropboxStub.self, PlainFilesStub.self, OrgMobileStub.self, AgeStub.self, OrgFilesStub.self,
    ])
  }
}
