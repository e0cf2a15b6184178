import GitHubEmulator
import ServerTesting
import Testing

/// A commit of renamed files names contents that the repository has.
@Suite("Renamed files on GitHub and Forgejo")
struct RenameTests {
  @Test("a renamed folder costs a few calls, and no content", arguments: Emulator.Kind.allCases)
  func cost(kind: Emulator.Kind) async throws {
    let rename = try await TestGitHub(kind).renameFolder("\(kind)")
    #expect(rename.isMove && rename.moved.units <= 10, "\(rename)")
  }
}
