import SettingsRegistry
import Testing

@Suite struct RegistryTests {
  struct Twin: Plugin {
    static let id = "age"
    static let summary = "Has the id of another."
    static let role = PluginRole.cloud
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  struct SharedStub: Plugin {
    static let id = "age"
    static let summary = "Has the id and the settings of another, in another role."
    static let role = PluginRole.cloud
    init(_ settings: AgeStub.Settings, _ context: PluginContext) {}
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

  /// A plugin with one failpoint, which another plugin may share.
  struct Careful: Plugin {
    static let id = "careful"
    static let summary = "Has a failpoint."
    static let role = PluginRole.cloud
    static var failpoints: [Failpoint] { [Failpoint("tree.file.written", threatening: "P7")] }
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  struct Shouting: Plugin {
    static let id = "shouting"
    static let summary = "Has a failpoint with a malformed name."
    static let role = PluginRole.cloud
    static var failpoints: [Failpoint] { [Failpoint("Written", threatening: "P7")] }
    init(_ settings: NoSettings, _ context: PluginContext) {}
  }

  @Test("failpoints of the program and of its plugins are listed by name, each once")
  func failpoints() throws {
    let own = Failpoint("pass.finished", threatening: "P8")
    let shared = Failpoint("tree.file.written", threatening: "P7")
    #expect(try Registry([Careful.self, AgeStub.self], failpoints: [shared, own]).failpoints == [own, shared])
  }

  @Test("a failpoint with two promises, or with an invalid name, is refused")
  func malformedFailpoints() {
    let other = Failpoint("tree.file.written", threatening: "P1")
    let error = #expect(throws: RegistryError.self) { try Registry([Careful.self], failpoints: [other]) }
    #expect(error == .failpoint(name: "tree.file.written"))
    #expect(throws: RegistryError.failpoint(name: "Written")) { try Registry([Shouting.self]) }
  }

  @Test("a plugin is found by role and ID")
  func finds() throws {
    let registry = try Registry.stubs()
    #expect(try registry.plugin(.cloud, "webdav") == WebDAVStub.self)
    #expect(registry.plugins(.cloud).map { $0.id } == ["dropbox", "webdav"])
    #expect(throws: UnknownPluginError.self) { try registry.plugin(.sync, "webdav") }
  }

  @Test(
    "the error for an unknown ID lists the valid ones",
    arguments: [
      (PluginRole.cloud, "webdaw", #"unknown cloud "webdaw"; known: dropbox, webdav (did you mean "webdav"?)"#),
      (.cloud, "s3", #"unknown cloud "s3"; known: dropbox, webdav"#),
      (
        .sync, "org_mobile",
        #"unknown sync "org_mobile"; known: org-mobile, plain-files (did you mean "org-mobile"?)"#
      ),
      (PluginRole("clock", title: "Clocks"), "x", #"unknown clock "x"; known: none"#),
    ])
  func unknown(role: PluginRole, id: String, message: String) throws {
    let registry = try Registry.stubs()
    let error = #expect(throws: UnknownPluginError.self) { try registry.plugin(role, id) }
    #expect(error?.description == message)
  }

  @Test("plugins of several roles with the same settings may share an ID")
  func shared() throws {
    let registry = try Registry([AgeStub.self, SharedStub.self])
    #expect(try registry.plugin(.cloud, "age") == SharedStub.self)
    #expect(registry.details(of: "age")?.hasPrefix("age (cloud, encryption)\n") == true)
    let layout = SettingsLayout([
      SettingsSection(["remotes"], "Remotes.", NoSettings.self),
      SettingsSection(AgeStub.self, in: ["remotes"], chosenBy: "encryption"),
      SettingsSection(SharedStub.self, in: ["remotes"], chosenBy: "cloud"),
    ])
    #expect(layout.template.split(separator: "\n").count { $0 == "[remotes.age]" } == 1)
    #expect(layout.template.contains("# With encryption = \"age\" or cloud = \"age\": "))
    #expect(throws: RegistryError.self) { try Registry([SharedStub.self, SharedStub.self]) }
  }

  @Test("plugins with different settings may not share an ID, whatever their roles")
  func duplicates() {
    let error = #expect(throws: RegistryError.self) { try Registry([AgeStub.self, Twin.self]) }
    #expect(
      error?.description == "the plugin id \"age\" is used by SettingsRegistryTests.AgeStub and "
        + "SettingsRegistryTests.RegistryTests.Twin")
  }

  @Test("an ID that is not a valid key is refused")
  func malformed() {
    let error = #expect(throws: RegistryError.self) { try Registry([Nameless.self]) }
    #expect(error?.description == "\"Web DAV\" of SettingsRegistryTests.RegistryTests.Nameless is not a plugin id")
    #expect(throws: RegistryError.self) { try Registry([Reserved.self]) }
  }

  @Test("a plugin cannot be used in a role whose protocol it lacks")
  func unfit() throws {
    let context = PluginContext(table: "t", environment: SettingsEnvironment(folder: "/"))
    let chosen = ChosenPlugin(PlainFilesStub.self, settings: NoSettings(), context: context)
    #expect(throws: RegistryError.self) { try chosen.make(as: (any StubCloud).self) }
    #expect(try chosen.make(as: (any Plugin).self) is PlainFilesStub)
  }
}
