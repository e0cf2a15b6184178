import Foundation
import ProgramTesting
import Testing

/// The history of a file under its former names, with the real program.
@Suite("The history follows a renamed file") struct RenamedHistoryTests {
  private struct Log: Decodable {
    var timeline: [Version]
    struct Version: Decodable { var pass: Int, path: String, digest: String?, cause: String }
  }

  private struct Blame: Decodable {
    var entries: [Entry]
    struct Entry: Decodable { var path: [String], pass: Int? }
  }

  /// Seven passes over a file with three names: edited, renamed in the store, edited, renamed on the remote, edited.
  private func history() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* One\n* Two\n", "org/other.org": "* Other\n", "org/0.org": "* Gone\n"])
    _ = try sandbox.once()
    try sandbox.write("* One\n* Two!\n", to: "org/a.org")
    _ = try sandbox.once()
    try sandbox.move("org/a.org", "org/deep/b.org")
    // The same pass removes another file and adds a new one.
    try sandbox.remove("org/0.org")
    try sandbox.write("* New\n", to: "org/new.org")
    _ = try sandbox.once()
    try sandbox.write("* One\n* Two!\n* Three\n", to: "home/deep/b.org")
    _ = try sandbox.once()
    try sandbox.move("home/deep/b.org", "home/c.org")
    _ = try sandbox.once()
    // Another file gets the first name.
    try sandbox.write("* Another\n", to: "org/a.org")
    _ = try sandbox.once()
    try sandbox.write("* One\n* Two!\n* Three!\n", to: "org/c.org")
    _ = try sandbox.once()
    return sandbox
  }

  @Test func `log and blame follow it, and show prints a version under a former name`() throws {
    let sandbox = try history()
    let outcome = try sandbox.syncd("log", "c.org", "--json")
    #expect(try JSONSchema("log").mistakes(in: JSONSerialization.jsonObject(with: outcome.out)) == [])
    let timeline = try outcome.json(Log.self).timeline
    #expect(
      timeline.map { "\($0.pass) \($0.path): \($0.cause)" } == [
        "7 c.org: changed in the store", "5 c.org: renamed from deep/b.org", "4 deep/b.org: changed on home",
        "3 deep/b.org: renamed from a.org", "2 a.org: changed in the store", "1 a.org: added in the store",
      ])
    let text = try sandbox.syncd("log", "c.org", "-p").text
    #expect(
      text.contains("renamed from a.org, as deep/b.org\n") && text.contains("added in the store, as a.org\n"), "\(text)"
    )
    let first = try #require(timeline.last?.digest)
    #expect(try sandbox.syncd("show", "c.org", "--digest", String(first.prefix(8))).text == "* One\n* Two\n")
    #expect(try sandbox.syncd("show", "c.org", "--at", "1").text == "* One\n* Two\n")
    let change = try sandbox.syncd("diff", "c.org", "2", "5").text
    #expect(change.contains("Three") && !change.contains("Two"), "\(change)")
    #expect(try sandbox.syncd("show", "other.org", "--at", "0").status == 4)
    let entries = try sandbox.syncd("blame", "c.org", "--json").json(Blame.self).entries
    #expect(entries.map { "\($0.path) \($0.pass ?? 0)" } == [#"["One"] 1"#, #"["Two!"] 2"#, #"["Three!"] 7"#])
    let heading = try sandbox.syncd("log", "c.org::*Two!").text
    #expect(heading.contains("pass 2 ") && heading.contains("pass 1 ") && !heading.contains("pass 3 "), "\(heading)")
    let new = try sandbox.syncd("log", "new.org", "--json").json(Log.self).timeline
    #expect(new.map(\.cause) == ["added in the store"])
    // The other file of the first name has only its own version.
    let others = try sandbox.syncd("log", "a.org", "--json").json(Log.self).timeline
    #expect(others.first?.pass == 6 && others.first?.cause == "added in the store")
  }

  @Test func `files that exchange their names, and a copy, keep their own histories`() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    _ = try sandbox.once()
    try sandbox.move("org/a.org", "org/x")
    try sandbox.move("org/b.org", "org/a.org")
    try sandbox.move("org/x", "org/b.org")
    try sandbox.write("* A\n", to: "org/copy.org")
    _ = try sandbox.once()
    for name in ["a.org", "b.org", "copy.org"] {
      let timeline = try sandbox.syncd("log", name, "--json").json(Log.self).timeline
      #expect(timeline.allSatisfy { $0.path == name && !$0.cause.hasPrefix("renamed") }, "\(timeline)")
    }
  }
}
