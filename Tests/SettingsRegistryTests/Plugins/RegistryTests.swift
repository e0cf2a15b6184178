import SettingsRegistry
import Testing

@Suite struct RegistryTests {
  struct Twin: Plugin {
    static let id = "age"
    static let summary = "Has the id of another."
    static let role = PluginRole.cloud
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  struct Nameless: Plugin {
    static let id = "Web DAV"
    static let summary = "Has no proper id."
    static let role = PluginRole.cloud
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  struct Reserved: Plugin {
    static let id = "none"
    static let summary = "Has the id that chooses nothing."
    static let role = PluginRole.cloud
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  @Test("a plugin is found by role and id")
  func finds() throws {
    let registry = try Registry.stubs()
    #expect(try registry.plugin(.cloud, "webdav") == WebDAVStub.self)
    #expect(registry.plugins(.cloud).map { $0.id } == ["dropbox", "webdav"])
    #expect(throws: UnknownPluginError.self) { try registry.plugin(.sync, "webdav") }
  }

  @Test(
    "an unknown id is answered with what there is",
    arguments: [
      (PluginRole.cloud, "webdaw", #"unknown cloud "webdaw"; there is dropbox, webdav (did you mean "webdav"?)"#),
      (.cloud, "s3", #"unknown cloud "s3"; there is dropbox, webdav"#),
      (
        .sync, "org_mobile",
        #"unknown sync "org_mobile"; there is org-mobile, plain-files (did you mean "org-mobile"?)"#
      ),
      (PluginRole("clock", title: "Clocks"), "x", #"unknown clock "x"; there is none"#),
    ])
  func unknown(role: PluginRole, id: String, message: String) throws {
    let registry = try Registry.stubs()
    let error = #expect(throws: UnknownPluginError.self) { try registry.plugin(role, id) }
    #expect(error?.description == message)
  }

  @Test("an id belongs to one plugin, whatever the roles")
  func duplicates() {
    let error = #expect(throws: RegistryError.self) { try Registry([AgeStub.self, Twin.self]) }
    #expect(
      error?.description == "the plugin id \"age\" is used by SettingsRegistryTests.AgeStub and "
        + "SettingsRegistryTests.RegistryTests.Twin")
  }

  @Test("an id can be written as a key")
  func malformed() {
    let error = #expect(throws: RegistryError.self) { try Registry([Nameless.self]) }
    #expect(error?.description == "\"Web DAV\" of SettingsRegistryTests.RegistryTests.Nameless is no plugin id")
    #expect(throws: RegistryError.self) { try Registry([Reserved.self]) }
  }

  @Test("a plugin that is not what its role wants is refused")
  func unfit() throws {
    let context = PluginContext(table: "t", environment: SettingsEnvironment(folder: "/"))
    let chosen = ChosenPlugin(PlainFilesStub.self, settings: NoSettings(), context: context)
    #expect(throws: RegistryError.self) { try chosen.make(as: (any StubCloud).self) }
    #expect(try chosen.make(as: (any Plugin).self) is PlainFilesStub)
  }
}
