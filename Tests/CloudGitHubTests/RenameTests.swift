import GitHubEmulator
import ServerTesting
import Testing

/// A commit of renamed files names contents that GitHub has; the request of Forgejo contains each new file.
@Suite("Renamed files on GitHub and Forgejo")
struct RenameTests {
  @Test("a renamed folder costs a few calls, and on GitHub no content", arguments: Emulator.Kind.allCases)
  func cost(kind: Emulator.Kind) async throws {
    let rename = try await TestGitHub(kind).renameFolder("\(kind)")
    // Contents that are read only for their names count in the report, so the bytes on the connection decide.
    let sendsContents = rename.moved.bytes > FolderRename.contentSize / 2
    #expect(sendsContents == (kind == .forgejo) && rename.moved.units <= 10, "\(rename)")
  }
}
