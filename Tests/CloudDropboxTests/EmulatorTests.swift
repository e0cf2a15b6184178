import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The emulator is useful only if an independent client accepts it as the real service: Dropbox's own SDK, whose validators
/// read every answer.
@Suite("Dropbox's own SDK")
struct EmulatorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path
  private static let python = URL(filePath: #filePath).appending(path: "../../../.build/dropbox-sdk/bin/python")
    .standardizedFileURL.path

  private static let credentials = ["--token", "test-token", "--refresh-token", "test-refresh"]

  @Test(
    "the SDK works with the dropbox-emulator program, with and without a list of valid tokens",
    arguments: [
      credentials, [], credentials + ["--app-key", "test-app-key"],
    ])
  func judge(credentials: [String]) async throws {
    try await run(["dropbox-sdk-check.py", "--require-control"], credentials, "72 passed, 0 failed, 0 skipped")
  }

  @Test("the SDK's batches work with the emulator")
  func batches() async throws { try await run(["dropbox-batches-check.py"], [], "7 passed, 0 failed") }

  private func run(_ check: [String], _ credentials: [String], _ verdict: String) async throws {
    guard (try? Command([Self.python, "-c", "import dropbox"]).succeed()) != nil else {
      return skip("the Dropbox SDK is not installed; `make setup-tests` does it")
    }
    let emulator = try Program(Command.built("dropbox-emulator"), ["--port", "0"] + credentials)
    let url = try await emulator.wait(for: /URL=(\S+)/)
    let judge = try Program(
      Self.python, ["\(Self.folder)/\(check[0])", "--base", url] + check.dropFirst(),
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    let status = try await judge.wait()
    #expect(status == 0 && judge.text.contains(verdict), "\(judge.text)")
    emulator.end()
    _ = try await emulator.wait()
  }
}
