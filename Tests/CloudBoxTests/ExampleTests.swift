import BoxEmulator
import EmulatorWire
import Foundation
import Testing

/// The example in `docs/box-emulator.md`, line by line.
@Suite("The documentation of the emulator of Box") struct ExampleTests {
  @Test("a test starts and controls the emulator as the documentation shows")
  func example() async throws {
    let server = EmulatorServer(Emulator())
    let url = try await server.start()
    try await server.emulator.put("* there\n", at: "/notes/a.org")
    try await server.emulator.control(#"{"op": "fail", "route": "POST /files/content", "drop": "after"}"#)
    #expect(url.hasPrefix("http://127.0.0.1:"))
    #expect(await server.emulator.texts(below: "/notes") == ["a.org": "* there\n"])
    await server.stop()

    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    let page = URL(filePath: #filePath).appending(path: "../../../docs/box-emulator.md").standardizedFileURL
    let example = try #require(
      try String(contentsOf: page, encoding: .utf8).firstMatch(of: /(?ms)^```swift\n(.*?)^```/))
    for line in example.1.split(separator: "\n") { #expect(here.contains(line), "\(line)") }
  }
}
