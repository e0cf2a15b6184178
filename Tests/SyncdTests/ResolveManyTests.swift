import Foundation
import ProgramTesting
import Testing

@Suite("Resolving several conflicts") struct ResolveManyTests {
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    for name in ["a", "b", "deep/c", "deep/d"] {
      try sandbox.write("* A\nBase line.\n", to: "org/\(name).org")
    }
    try sandbox.once()
    for name in ["a", "b", "deep/c", "deep/d"] {
      try sandbox.write("* A\nOne version here.\n", to: "org/\(name).org")
      try sandbox.write("* A\nQuite another thing.\n", to: "home/\(name).org")
    }
    try sandbox.once(status: 3)
    return sandbox
  }

  private func open(_ sandbox: Sandbox) throws -> Int {
    try #require(try sandbox.command(["status", "--json"]).run().json(Status.self).remotes.first).conflicts.count
  }

  @Test("resolve accepts paths, patterns and --all")
  func many() throws {
    let sandbox = try sandbox()
    #expect(try open(sandbox) == 4)
    let two = try sandbox.syncd("resolve", "--ours", "a.org", "b.org")
    #expect(
      two.status == 0 && two.text.contains("resolved a.org") && two.text.contains("resolved b.org"), "\(two.story)")
    #expect(try open(sandbox) == 2)
    #expect(try sandbox.syncd("resolve", "--theirs", "deep/*.org").status == 0)
    #expect(try open(sandbox) == 0)
    let text = sandbox.store.files.values.map { String(decoding: $0, as: UTF8.self) }
    #expect(text.count { $0.contains("One version here.") } == 2 && text.count { $0.contains("Quite another") } == 2)
    try sandbox.once()
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("resolve --all resolves everything, and contradictory arguments are refused before any change")
  func all() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.syncd("resolve", "--ours").status == 2)
    #expect(try sandbox.syncd("resolve", "--all", "--ours", "a.org").status == 2)
    #expect(try sandbox.syncd("resolve", "a.org", "b.org", "--merged", sandbox.path("org/a.org")).status == 2)
    #expect(try sandbox.syncd("resolve", "--ours", "a.org", "nope.org").status == 4)
    #expect(try open(sandbox) == 4)
    #expect(try sandbox.syncd("resolve", "--all", "--ours").status == 0)
    #expect(try open(sandbox) == 0)
    let again = try sandbox.syncd("resolve", "--all", "--ours")
    #expect(again.status == 0 && again.text.contains("no open conflicts"), "\(again.story)")
  }
}
