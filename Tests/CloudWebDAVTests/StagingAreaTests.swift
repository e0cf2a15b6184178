import BackendOrgMobile
import CipherOrgMobile
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// An org-mobile staging area on a real WebDAV server: a desktop and a phone, sealed and not.
@Suite struct StagingAreaTests {
  @Test(
    "edits and captures go through a WebDAV server", arguments: [TestServer.Kind.apache, .wsgidav], [nil, "secret"])
  func exchange(kind: TestServer.Kind, password: String?) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let (url, _) = try server.folder()
    let desktop = try server.device("desk", at: url)
    let phone = try server.device("phone", at: url)
    try await desktop.write("* One\ntext\n* Two\n", to: "sub/w ö.org")
    #expect(try await sync(desktop, .desktop, password).result == .synced)
    #expect(try await sync(phone, .mobile, password).result == .synced)
    #expect(try await phone.texts() == ["sub/w ö.org": "* One\ntext\n* Two\n"])
    try await phone.write("* TODO One\nother text\n* Two\n** Added\n", to: "sub/w ö.org")
    try await phone.write("* Captured\n", to: "inbox.org")
    #expect(try await sync(phone, .mobile, password).result == .waiting)
    #expect(try await sync(desktop, .desktop, password).result == .synced)
    let texts = try await desktop.texts()
    #expect(texts["inbox.org"] == "* Captured\n")
    #expect(texts["sub/w ö.org"]?.hasSuffix("* TODO One\nother text\n* Two\n** Added\n") == true, "\(texts)")
    #expect(try await sync(phone, .mobile, password).result == .synced)
    #expect(try await phone.texts() == texts)
    #expect(try await sync(desktop, .desktop, password).didSomething == false)
  }

  private func sync(_ device: TestDevice, _ role: OrgMobile.Role, _ password: String?) async throws -> PassReport {
    let context = PluginContext(table: "remotes.emacs", environment: SettingsEnvironment(folder: "/"))
    let identity = Device(id: device.name, name: device.name)
    var parts = RemoteParts(
      name: "test", storage: device.storage, device: identity, world: .real, contents: device.archive,
      journal: device.archive.journal(of: "test"))
    if let password {
      var settings = OpenSSL.Settings()
      settings.password = Secret(password)
      parts.cipher = try await OpenSSL(settings, context).open(parts)
    }
    var settings = OrgMobile.Settings()
    settings.role = role
    let remote = try await OrgMobile(settings, context).open(parts)
    let pass = PassParts(
      name: "test", local: device.store, remote: remote, archive: device.archive, merger: LineMerger(), device: identity
    )
    return await SyncRun([pass], waits: true).run()[0]
  }
}
