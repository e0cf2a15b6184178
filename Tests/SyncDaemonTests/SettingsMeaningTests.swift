import SyncKit
import SyncKitTesting
import Testing

@testable import SyncDaemon

/// The meaning of a setting follows from its declaration, not from its name.
@Suite struct SettingsMeaningTests {
  /// A cloud whose `path` is a folder on its server.
  struct ServerCloud: CloudStorage {
    static let id = "server"
    static let summary = "Keeps files on a server."

    struct Settings: PluginSettings {
      @Setting("Folder on the server.") var path = ""
    }

    init(_ settings: Settings, _ context: PluginContext) {}
    func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage { MemoryStorage() }
  }

  /// A cloud that keeps its files on this machine, in a setting that is not called `path`.
  struct DiskCloud: CloudStorage {
    static let id = "disk"
    static let summary = "Keeps files on a disk."

    struct Settings: PluginSettings {
      @Setting("Where the disk is mounted.", .localFolder) var mountPoint: SettingPath
    }

    init(_ settings: Settings, _ context: PluginContext) {}
    func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage { MemoryStorage() }
  }

  struct FolderStore: InternalStorage {
    static let id = "folder-store"
    static let summary = "Keeps files in a folder."

    struct Settings: PluginSettings {
      @Setting("The folder.", .localFolder) var root: SettingPath
    }

    init(_ settings: Settings, _ context: PluginContext) {}
    func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica { MemoryReplica() }
  }

  struct Staged: SyncBackend {
    static let id = "staged"
    static let summary = "Stages through a cloud."
    static let usesStorage = true

    init(_ settings: NoSettings, _ context: PluginContext) {}
    func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica { MemoryReplica() }
  }

  private func configuration(_ remotes: String, state: String = "/state") throws -> DaemonConfiguration {
    let text = """
      [syncd]
      state = "\(state)"
      [store]
      backend = "folder-store"
      root = "/home/me/org"
      \(remotes)
      """
    let registry = try Registry([ServerCloud.self, DiskCloud.self, FolderStore.self, Staged.self])
    let file = SettingsFile(text.utf8, file: "s.toml", environment: SettingsEnvironment(folder: "/home/me"))
    return try DaemonConfiguration(file, file: "s.toml", registry: registry)
  }

  private func remote(_ name: String, cloud: String, _ setting: String) -> String {
    "[remotes.\(name)]\nsync = \"staged\"\ncloud = \"\(cloud)\"\n[remotes.\(name).\(cloud)]\n\(setting)\n"
  }

  @Test("a server path does not count as a local folder", arguments: ["", "/", "/home/me/org", "/state"])
  func serverPath(path: String) throws {
    let one = remote("one", cloud: "server", "path = \"\(path)\"")
    let two = remote("two", cloud: "server", "path = \"\(path)\"")
    let configuration = try configuration(one + two)
    #expect(configuration.remotes.allSatisfy { $0.localFolders.isEmpty })
  }

  @Test(
    "a local folder is known by its declaration, and must not overlap the store or the state folder",
    arguments: ["/home/me/org", "/home/me/org/inside", "/home/me", "/state", "/"])
  func localFolder(path: String) throws {
    #expect(throws: SettingsError.self) {
      try configuration(remote("stick", cloud: "disk", "mount-point = \"\(path)\""))
    }
  }

  @Test("separate local folders are accepted and listed")
  func apart() throws {
    let configuration = try configuration(remote("stick", cloud: "disk", "mount-point = \"/media/stick\""))
    #expect(configuration.store.localFolders == ["/home/me/org"])
    #expect(configuration.remotes.map(\.localFolders) == [["/media/stick"]])
  }

  @Test(
    "a hub listens at loopback addresses; at others only with TLS, or behind a named proxy",
    arguments: [
      ("", true), ("listen = 9000", true), ("listen = \"127.0.0.9:0\"", true), ("listen = \"[::1]:8484\"", true),
      ("listen = \"localhost:8484\"", true), ("listen = \"0.0.0.0:8484\"", false), ("listen = \"[::]:8484\"", false),
      ("listen = \"192.168.1.5:8484\"", false), ("listen = \"[::ffff:192.168.1.5]:8484\"", false),
      ("listen = \"192.168.1.5:8484\"\nbehind = [\"192.168.1.2\"]", true),
      ("listen = \"192.168.1.5:8484\"\nbehind = [\"proxy.example.org\"]", false),
      ("listen = \"0.0.0.0:8484\"\n[hub.tls]\ncertificate = \"c.pem\"\nkey = \"k.pem\"", true),
      ("[hub.tls]\ncertificate = \"c.pem\"", false), ("hosts = [\"hub.example.org:8484\"]", false),
      ("listen = \"hub.example.org:8484\"", false), ("listen = \"[::1:8484\"", false), ("listen = 65536", false),
      ("store = \"other\"", false),
    ])
  func hub(settings: String, isAccepted: Bool) throws {
    guard isAccepted else {
      #expect(throws: SettingsError.self) { try configuration("[hub]\n\(settings)") }
      return
    }
    let hub = try #require(try configuration("[hub]\n\(settings)").hub)
    #expect(hub.refusal == nil && hub.storeName == "store")
    #expect(try configuration("").hub == nil)
  }

  @Test("two remotes in one folder are refused")
  func shared() {
    #expect(throws: SettingsError.self) {
      try configuration(
        remote("one", cloud: "disk", "mount-point = \"/media/stick\"")
          + remote("two", cloud: "disk", "mount-point = \"/media/stick/notes\""))
    }
  }
}
