import ServerTesting
import Testing

/// An org-mobile staging area in a Dropbox, with and without encryption.
@Suite struct StagingAreaTests {
  @Test("edits and captures arrive over Dropbox", arguments: [nil, "secret"])
  func exchange(password: String?) async throws {
    let dropbox = try await TestDropbox.shared.value
    let folder = password == nil ? "/staging" : "/sealed staging"
    let desktop = try await dropbox.device("desk", at: folder)
    let phone = try await dropbox.device("phone", at: folder)
    try await StagingAreaExchange(desktop: desktop, phone: phone, password: password).run()
  }
}
