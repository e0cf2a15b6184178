import ServerTesting
import Testing

@testable import BackendRsyncSSH

/// An org-mobile staging area in a folder served by rsync, with and without encryption.
@Suite struct StagingAreaTests {
  @Test("edits and captures arrive over rsync", arguments: [nil, "secret"])
  func exchange(password: String?) async throws {
    for way in [Folder.Transport.pipes, .library] where await Folder.isAvailable(way) {
      let folder = try await Folder(way)
      try folder.make()
      let desktop = try await folder.device("desk")
      let phone = try await folder.device("phone")
      try await StagingAreaExchange(desktop: desktop, phone: phone, password: password).run()
    }
  }
}
