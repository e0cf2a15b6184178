import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The emulator is useful only if an independent client accepts it as the real service: PyGithub, which knows nothing of it.
@Suite("PyGithub")
struct EmulatorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path
  private static let python = URL(filePath: #filePath).appending(path: "../../../.build/github-sdk/bin/python")
    .standardizedFileURL.path

  @Test(
    "the SDK works with the github-emulator program, as github.com and as an Enterprise server",
    arguments: ["", "/api/v3"])
  func judge(prefix: String) async throws {
    guard (try? Command([Self.python, "-c", "import github"]).succeed()) != nil else {
      return skip("PyGithub is not installed; `make setup-tests` does it")
    }
    let scratch = ScratchFolder()
    let emulator = try await ServerProcess([Command.built("github-emulator"), "--folder", scratch.path])
    let url = emulator.lines[0].replacing("URL=", with: "")
    var judge = Command([
      Self.python, "\(Self.folder)/github-sdk-check.py", "--base", url + prefix, "--require-control",
    ])
    judge.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let outcome = try await judge.finish()
    #expect(outcome.status == 0 && outcome.text.contains("55 passed, 0 failed, 0 skipped"), "\(outcome.story)")
    for name in ["notes", "empty"] {
      try Command(["git", "-C", "\(scratch.path)/owner/\(name).git", "fsck", "--strict", "--full"]).succeed()
    }
  }
}
