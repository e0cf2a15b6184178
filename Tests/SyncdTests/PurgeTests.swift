import Foundation
import ProgramTesting
import Testing

/// `syncd history`, with the real program.
@Suite("The history is pruned and purged") struct PurgeTests {
  private static let secret = "correct-horse-battery-staple"

  /// A store from which a secret was removed, after it was synced in `a.org` in several versions: one of them large, one
  /// deleted by a former prune, one in a merge.
  private func leaked(settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(settings: settings)
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    try sandbox.once()
    try sandbox.write("* A\npassword: \(Self.secret)\n", to: "org/a.org")
    try sandbox.once()
    let large = String(repeating: "A line of a long note.\n", count: 20_000)
    try sandbox.write("* A\npassword: \(Self.secret)\n* Long\n\(large)", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\nedited here, \(Self.secret)\n* B\nb\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\n* B\nb\n", to: "org/a.org")
    try sandbox.once()
    return sandbox
  }

  /// The files of the state folder that contain the secret; `contents` if a compressed one does.
  private func leaks(_ sandbox: Sandbox) throws -> [String] {
    let outcome = try Command(["grep", "-rlaF", "--devices=skip", Self.secret, sandbox.path("state")]).run()
    #expect(outcome.status < 2, "\(outcome.story)")
    let judge = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../ArchiveSQLiteTests/Support/read-archive.py").path
    let judgement = try Command(["python3", judge, sandbox.path("state"), Self.secret]).run()
    try #require(judgement.status == 0, "\(judgement.story)")
    struct Found: Decodable { var found: Int }
    let isInside = try judgement.json(Found.self).found > 0
    return outcome.text.split(separator: "\n").map(String.init) + (isInside ? ["contents"] : [])
  }

  private func purge(_ sandbox: Sandbox, _ words: String..., text: String? = nil) throws -> Outcome {
    guard let text else { return try sandbox.command(["history", "purge"] + words).run() }
    let command = [Sandbox.binary, "--settings", sandbox.path("s.toml"), "history", "purge", "--text"] + words
    return try Command(["sh", "-c", "printf '%s\\n' \"$0\" | \"$@\"", text] + command).run()
  }

  private struct Answer: Decodable { var removed: Int, found: Int, remains: [String], files: [String] }

  @Test(
    "after a purge no file of the state folder contains the text, and the present version stays",
    arguments: [true, false])
  func purge(withText: Bool) throws {
    let sandbox = try leaked()
    #expect(try !leaks(sandbox).isEmpty)
    let outcome = try purge(sandbox, "a.org", "--json", text: withText ? Self.secret : nil)
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(try JSONSchema("history-purge").mistakes(in: JSONSerialization.jsonObject(with: outcome.out)) == [])
    let answer = try outcome.json(Answer.self)
    #expect(answer.removed >= 3 && answer.remains.isEmpty && answer.files.isEmpty)
    #expect(try leaks(sandbox) == [])
    #expect(sandbox.store["a.org"] == "* A\n* B\nb\n")
    #expect(try sandbox.syncd("doctor").status == 0)
    // The base is still there: edits of both sides are merged.
    try sandbox.write(["org/a.org": "* A\nhere\n* B\nb\n", "home/a.org": "* A\n* B\nthere\n"])
    try sandbox.once()
    #expect(sandbox.store["a.org"] == "* A\nhere\n* B\nthere\n")
    #expect(try sandbox.syncd("show", "b.org").text == "* B\n")
  }

  @Test("a purge is refused while something still has the text, and names it")
  func refused() throws {
    let sandbox = try leaked()
    func expectRefused(_ message: String, text: String? = nil) throws {
      let before = try leaks(sandbox)
      let outcome = try purge(sandbox, "a.org", text: text)
      #expect(outcome.status == 4 && outcome.err.contains(message), "\(outcome.story)")
      #expect(outcome.err.contains("removed nothing") && outcome.text == "")
      #expect(try leaks(sandbox).count >= before.count)
    }
    try sandbox.write("* A\n* B\nb \(Self.secret)\n", to: "org/a.org")
    try expectRefused("a.org still contains the text", text: Self.secret)
    try expectRefused("home still has the version of a.org before your last edit")
    try sandbox.once()
    try sandbox.write("* A\n* B\nb\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* Copy\n\(Self.secret)\n", to: "org/copy.org")
    try sandbox.once()
    try expectRefused("copy.org on home", text: Self.secret)
    try sandbox.remove("org/copy.org")
    try sandbox.once()
    try sandbox.write("old", to: "state/archive.sqlite.format-2")
    try expectRefused("archive.sqlite.format-2 is a copy of an earlier archive", text: Self.secret)
    try sandbox.remove("state/archive.sqlite.format-2")
    let outcome = try purge(sandbox, "a.org", text: Self.secret)
    #expect(
      outcome.status == 0 && outcome.text.contains("no file of the state folder contains the text"), "\(outcome.story)")
    #expect(try leaks(sandbox) == [])
  }

  @Test("a git remote keeps the text, and --anyway removes it from the history only")
  func git() throws {
    let sandbox = try Sandbox(remotes: [])
    try Command(["git", "init", "-q", "--bare", "-b", "main", sandbox.path("hub.git")]).succeed()
    try sandbox.write(
      try #require(sandbox.read("s.toml"))
        + "[remotes.hub]\nsync = \"git\"\n[remotes.hub.git]\nurl = \"\(sandbox.path("hub.git"))\"\n",
      to: "s.toml")
    try sandbox.write("* A\n\(Self.secret)\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    let refused = try purge(sandbox, "a.org", text: Self.secret)
    #expect(refused.status == 4 && refused.err.contains("hub keeps all former versions"), "\(refused.story)")
    let outcome = try purge(sandbox, "a.org", "--anyway", text: Self.secret)
    #expect(outcome.text.contains("removed 1 content of a.org") && outcome.status == 0, "\(outcome.story)")
    #expect(try leaks(sandbox) == [])
  }

  @Test("a purge that is killed at any point is completed by the next command")
  func killed() throws {
    let original = try leaked()
    func run(_ sandbox: Sandbox, _ place: Int) throws -> Int32 {
      try sandbox.syncd("history", "purge", "a.org", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).status
    }
    let places = try KillSweep.count { try run(Sandbox(copyOf: original), $0) == 137 }
    #expect(places >= 3)
    for place in 1...places {
      let sandbox = try Sandbox(copyOf: original)
      #expect(try run(sandbox, place) == 137)
      #expect(try sandbox.syncd("status").status == 0, "place \(place)")
      try sandbox.once()
      // A purge that had not begun is asked for again.
      if try !leaks(sandbox).isEmpty { #expect(try purge(sandbox, "a.org").status == 0, "place \(place)") }
      #expect(try leaks(sandbox) == [], "place \(place)")
      #expect(try sandbox.syncd("doctor").status == 0, "place \(place)")
      #expect(sandbox.store["a.org"] == "* A\n* B\nb\n")
    }
  }

  @Test("`history prune` says what it would remove, and status shows the size")
  func prune() throws {
    let sandbox = try leaked()
    let outcome = try sandbox.syncd("history", "prune", "--dry-run", "--json")
    #expect(try JSONSchema("history-prune").mistakes(in: JSONSerialization.jsonObject(with: outcome.out)) == [])
    #expect(try sandbox.syncd("history", "prune").text == "removed 0 versions, 0 B of contents\n")
    let status = try sandbox.syncd("status")
    #expect(status.text.contains("\nhistory: 4 previous versions, "), "\(status.story)")
    try sandbox.writeSettings(settings: "history-versions = 2")
    #expect(try sandbox.syncd("settings", "check").story.contains("between 3 and"))
  }
}
