import Foundation
import ProgramTesting
import Testing

@Suite("A storm of edits and crashes, against a ledger in another language")
struct StormTests {
  @Test("every place has exactly what people wrote, and no line is lost", arguments: [1, 2])
  func storm(part: Int) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "storm.py").path
    let worlds = isSoak ? 200 : 1
    let outcome = try await Command([
      "python3", script, "--syncd", Sandbox.binary, "--first", "\(part * 1_000)", "--worlds", "\(worlds)", "--steps",
      isSoak ? "40" : "12",
    ]).finish()
    #expect(outcome.status == 0, "\(outcome.story)")
  }
}
