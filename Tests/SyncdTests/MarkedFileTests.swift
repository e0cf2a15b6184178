import Foundation
import ProgramTesting
import Testing

@Suite("Conflicts that another device found") struct MarkedFileTests {
  @Test("every device with the marked file lists it, until the marks are gone")
  func listed() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* Plan\n** TODO Draft the talk\n", to: "org/talk.org")
    try sandbox.once()
    // A second device with a store and a state of its own.
    try sandbox.writeSettings(state: "state2", storePath: "org2", file: "two.toml")
    try FileManager.default.createDirectory(atPath: sandbox.path("org2"), withIntermediateDirectories: true)
    try sandbox.once(settings: "two.toml")
    try sandbox.write("* Plan\n** TODO Draft the keynote\n", to: "org/talk.org")
    try sandbox.write("* Plan\n** TODO Draft the workshop\n", to: "home/talk.org")
    try sandbox.once(status: 3)
    try sandbox.once(settings: "two.toml")
    let (one, two) = try (paths(sandbox, "s.toml"), paths(sandbox, "two.toml"))
    #expect(one == ["talk.org"] && two == one)
    #expect(try sandbox.syncd("conflicts", settings: "two.toml").text.contains("talk.org (found by another device)"))
    let refused = try sandbox.syncd("resolve", "talk.org", "--ours", settings: "two.toml")
    #expect(refused.status == 4 && refused.err.contains("another device"), "\(refused.story)")
    try sandbox.command(["resolve", "talk.org", "--ours"]).succeed()
    try sandbox.once()
    try sandbox.once(settings: "two.toml")
    #expect(try paths(sandbox, "s.toml").isEmpty && paths(sandbox, "two.toml").isEmpty)
  }

  private func paths(_ sandbox: Sandbox, _ settings: String) throws -> [String] {
    struct Document: Decodable {
      struct Conflict: Decodable { var path: String }
      var conflicts: [Conflict]
      var marked: [String]
    }
    let document = try sandbox.syncd("conflicts", "--json", settings: settings).json(Document.self)
    return document.conflicts.map(\.path) + document.marked
  }
}
