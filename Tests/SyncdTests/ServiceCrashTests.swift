import Foundation
import ProgramTesting
import SyncKit
import Testing

/// `syncd` as a service that is killed at random moments while both sides are edited, and restarted each time.
@Suite("A service that is killed") struct ServiceCrashTests {
  private static let kills = isSoak ? 200 : 12
  private static let names = ["a.org", "b c.org", "d/e.org", "d/f/g.org", "h.txt"]

  @Test("a killed service loses nothing, and continues without help")
  func kills() throws {
    let sandbox = try Sandbox(settings: "interval = \"1h\"\nquiet = \"20ms\"\nmax-delay = \"100ms\"")
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    var lines: [String: Set<String>] = [:]
    try sandbox.write("* First\n", to: "org/a.org")
    for kill in 0..<Self.kills {
      let service = try sandbox.command([]).start()
      for edit in 0..<Int.random(in: 1...6, using: &generator) {
        let name = Self.names.randomElement(using: &generator) ?? "a.org"
        let line = "* Entry \(kill).\(edit)\n"
        try save(line, in: Bool.random(using: &generator) ? "org" : "home", name, sandbox)
        lines[name, default: []].insert(line)
        usleep(UInt32.random(in: 0...60_000, using: &generator))
      }
      service.kill()
      _ = try service.wait()
    }
    try sandbox.settle()
    #expect(sandbox.store == sandbox.tree("home"), "seed \(seed)")
    #expect(sandbox.store.litter.isEmpty && sandbox.tree("home").litter.isEmpty, "seed \(seed)")
    for (name, lines) in lines {
      let texts = try [sandbox.read("org/\(name)") ?? ""] + sandbox.versions(of: name)
      let lost = lines.filter { line in !texts.contains { $0.contains(line) } }
      #expect(lost.isEmpty, "seed \(seed), \(name): \(lost)")
    }
  }

  /// Adds a line to a file like an editor that replaces the old file by a new one.
  private func save(_ line: String, in side: String, _ name: String, _ sandbox: Sandbox) throws {
    let place = "\(side)/\(name)"
    let text = (sandbox.read(place) ?? "") + line
    try sandbox.write(text, to: "aside")
    let folder = (sandbox.path(place) as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard unsafe rename(sandbox.path("aside"), sandbox.path(place)) == 0 else {
      throw TestFailure("cannot save \(place)")
    }
  }
}
