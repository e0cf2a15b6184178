import ServerTesting
import Testing

/// An org-mobile staging area on a real WebDAV server, with and without encryption.
@Suite struct StagingAreaTests {
  @Test(
    "edits and captures arrive over a WebDAV server", arguments: [TestServer.Kind.apache, .wsgidav], [nil, "secret"])
  func exchange(kind: TestServer.Kind, password: String?) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let (url, _) = try server.folder()
    let (desktop, phone) = try (server.device("desk", at: url), server.device("phone", at: url))
    try await StagingAreaExchange(desktop: desktop, phone: phone, password: password).run()
  }
}
