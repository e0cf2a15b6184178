import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The emulator is useful only if an independent client accepts it as the real service: Box's own SDK, which reads every answer
/// into its types.
@Suite("Box's own SDK")
struct EmulatorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path
  private static let python = URL(filePath: #filePath).appending(path: "../../../.build/box-sdk/bin/python")
    .standardizedFileURL.path

  @Test("the SDK works with the box-emulator program")
  func judge() async throws {
    guard (try? Command([Self.python, "-c", "import box_sdk_gen"]).succeed()) != nil else {
      return skip("the Box SDK is not installed; `make setup-tests` does it")
    }
    let emulator = try await ServerProcess([Command.built("box-emulator"), "--port", "0"])
    let url = emulator.lines[0].replacing("URL=", with: "")
    var judge = Command([Self.python, "\(Self.folder)/box-sdk-check.py", "--base", url, "--require-control"])
    judge.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let outcome = try await judge.finish()
    #expect(outcome.status == 0 && outcome.text.contains("76 passed, 0 failed, 0 skipped"), "\(outcome.story)")
  }
}
