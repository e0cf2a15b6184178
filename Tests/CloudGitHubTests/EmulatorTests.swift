import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The emulator is useful only if independent clients accept it as the real service: PyGithub and pyforgejo, which know nothing of
/// it.
@Suite("PyGithub and pyforgejo")
struct EmulatorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path
  private static let python = python("github-sdk")

  private static func python(_ name: String) -> String {
    URL(filePath: #filePath).appending(path: "../../../.build/\(name)/bin/python").standardizedFileURL.path
  }

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

  @Test("the SDK works with the github-emulator program as Forgejo")
  func forgejo() async throws {
    let python = Self.python("forgejo-sdk")
    guard (try? Command([python, "-c", "import pyforgejo"]).succeed()) != nil else {
      return skip("pyforgejo is not installed; `make setup-tests` does it")
    }
    let scratch = ScratchFolder()
    let emulator = try await ServerProcess([
      Command.built("github-emulator"), "--kind", "forgejo", "--folder", scratch.path,
    ])
    let url = emulator.lines[0].replacing("URL=", with: "")
    var judge = Command([
      python, "\(Self.folder)/forgejo-sdk-check.py", "--base", url + "/api/v1", "--folder", scratch.path,
    ])
    judge.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let outcome = try await judge.finish()
    #expect(outcome.status == 0 && outcome.text.contains("34 passed, 0 failed"), "\(outcome.story)")
    for name in ["notes", "empty"] {
      try Command(["git", "-C", "\(scratch.path)/owner/\(name).git", "fsck", "--strict", "--full"]).succeed()
    }
  }
}
