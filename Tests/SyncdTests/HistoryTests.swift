import Foundation
import ProgramTesting
import Testing

/// Former states are never lost: the log, former versions, undo.
@Suite struct HistoryTests {
  /// Three passes over `a.org`: one, two, three; `b.org` is removed in the third.
  private func history() throws -> (sandbox: Sandbox, passes: [Int]) {
    let sandbox = try Sandbox()
    var passes: [Int] = []
    try sandbox.write(["org/a.org": "* One\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    passes.append(try sandbox.once().pass)
    try sandbox.write("* Two\n", to: "org/a.org")
    passes.append(try sandbox.once().pass)
    try sandbox.write("* Three\n", to: "home/a.org")
    try sandbox.remove("home/b.org")
    passes.append(try sandbox.once().pass)
    return (sandbox, passes)
  }

  @Test("log lists the numbered passes and their changes, newest first, or only those of one file")
  func log() throws {
    let (sandbox, passes) = try history()
    struct Document: Decodable {
      var version: Int
      var passes: [Pass]
      struct Pass: Decodable {
        var pass: Int
        var actions: [Report.Action]
      }
    }
    let document = try sandbox.syncd("log", "--json").json(Document.self)
    #expect(document.version == 1 && document.passes.map(\.pass) == passes.reversed())
    #expect(document.passes[0].actions.map(\.path).sorted() == ["a.org", "b.org"])
    #expect(
      try sandbox.syncd("log", "b.org", "--json").json(Document.self).passes.map(\.pass) == [passes[2], passes[0]])
    let text = try sandbox.syncd("log").text
    let places = passes.compactMap { text.range(of: "pass \($0) ")?.lowerBound }
    #expect(places.count == 3 && places == places.sorted().reversed())
  }

  @Test(arguments: [("XYZ-5:45", "+0545"), ("ABC+3:30", "-0330"), ("UTC0", "+0000")])
  func `a terminal shows local time with its offset from UTC, and JSON shows UTC`(zone: String, distance: String)
    throws
  {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* One\n"])
    _ = try sandbox.once()
    struct Document: Decodable {
      var passes: [Pass]
      struct Pass: Decodable { var started: String }
    }
    let environment = ["TZ": zone]
    let started = try sandbox.syncd("log", "--json", environment: environment).json(Document.self).passes[0].started
    let text = try sandbox.syncd("log", environment: environment).text
    let shown = try #require(text.firstMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}/)).output
    #expect(shown.hasSuffix(distance) && started.hasSuffix("Z"))
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
    #expect(try format.date(from: String(shown)) == Date(started, strategy: .iso8601))
    #expect(try sandbox.syncd("status", environment: environment).text.contains(distance))
  }

  @Test("show prints exactly the bytes that a file had after a pass")
  func show() throws {
    let (sandbox, passes) = try history()
    for (pass, content) in zip(passes, ["* One\n", "* Two\n", "* Three\n"]) {
      #expect(try sandbox.syncd("show", "a.org", "--at", "\(pass)").text == content)
      #expect(try sandbox.syncd("show", "--at", "\(pass)", "a.org").text == content)
    }
    #expect(try sandbox.syncd("show", "b.org", "--at", "\(passes[1])").text == "* B\n")
    // A removed file is shown in its last version.
    #expect(try sandbox.syncd("show", "b.org").text == "* B\n")
    #expect(try sandbox.syncd("show", "c.org").text == "* C\n")
    for words in [
      ["b.org", "--at", "\(passes[2])"], ["nonsense.org"], ["nonsense.org", "--at", "1"],
      ["a.org", "--digest", "ffff"],
    ] {
      let outcome = try sandbox.command(["show"] + words).run()
      #expect(outcome.status != 0 && outcome.out.isEmpty && !outcome.err.isEmpty)
    }
    let bytes = Data((0...255).map { UInt8($0) })
    try sandbox.write(bytes, to: "org/x.bin")
    let pass = try sandbox.once().pass
    #expect(try sandbox.syncd("show", "x.bin", "--at", "\(pass)").out == bytes)
  }

  @Test("log -p shows changes, in Org files by entry, and once for all remotes")
  func patch() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* TODO One\ntext\n* Two\n", "org/b.txt": "1\n2\n3\n", "home/c.bin": "\0a"])
    try sandbox.once()
    try sandbox.write("* DONE One\nother text\n* Two\n", to: "org/a.org")
    try sandbox.write("1\n4\n3\n", to: "home/b.txt")
    try sandbox.write("\0abc", to: "home/c.bin")
    try sandbox.once()
    let text = try sandbox.syncd("log", "-p", "--limit", "1").text
    for line in [
      "      ~ One", "          keyword: TODO → DONE", "          - text", "          + other text",
      "      @@ -2,1 +2,1 @@", "      -2", "      +4", "      2 B before, 4 B now",
    ] {
      #expect(text.split(separator: "\n").contains { $0 == line }, "\(line) in \(text)")
    }
    #expect(try sandbox.syncd("log", "-p").text.contains("new, "))
    #expect(!(try sandbox.syncd("log").text.contains("keyword")))
  }

  @Test("log PATH lists each version once, newest first, at most the wanted number")
  func versions() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write("* One\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* Two\n", to: "home/a.org")
    try sandbox.settle()
    try sandbox.write("* Two\nhere\n* Three\n", to: "org/a.org")
    try sandbox.write("* DONE Two\n* Three\n", to: "home/a.org")
    try sandbox.settle()
    try sandbox.remove("org/a.org")
    try sandbox.settle()
    try sandbox.syncd("restore", "a.org")
    try sandbox.settle()
    let outcome = try sandbox.syncd("log", "a.org")
    let lines = outcome.text.split(separator: "\n")
    let causes = lines.map { $0.split(separator: "  ").last ?? "" }
    #expect(
      causes == [
        "restored with `syncd restore`", "deleted in the store", "merged with home", "of the store, replaced",
        "of home, replaced", "changed on home", "added in the store",
      ]
        || causes == [
          "restored with `syncd restore`", "deleted in the store", "merged with home", "of home, replaced",
          "of the store, replaced", "changed on home", "added in the store",
        ], "\(outcome.story)")
    #expect(try sandbox.syncd("log", "-l", "2", "a.org").text.split(separator: "\n") == Array(lines.prefix(2)))
    #expect(try sandbox.syncd("log", "--until", "2001-01-01", "a.org").text == "no versions in this period\n")
    // Every version that is listed can be printed.
    for line in lines where !line.contains("deleted") {
      let digest = try #require(line.firstMatch(of: #/ ([0-9a-f]{8}) /#)).1
      #expect(try sandbox.syncd("show", "a.org", "--digest", "\(digest)").status == 0, "\(line)")
    }
    let json = try sandbox.syncd("log", "--json", "a.org")
    #expect(try JSONSchema("log").mistakes(in: JSONSerialization.jsonObject(with: json.out)) == [])
  }

  @Test("every version that log PATH lists can be printed by its digest, also the present one")
  func digests() throws {
    let sandbox = try Sandbox()
    let texts = ["* One\n", "* Two\n", "* Three\n"]
    for text in texts {
      try sandbox.write(text, to: "org/a.org")
      try sandbox.once()
    }
    func printed() throws -> [String] {
      try sandbox.syncd("log", "a.org").text.matches(of: #/ ([0-9a-f]{8}) /#).map {
        let outcome = try sandbox.syncd("show", "a.org", "--digest", String($0.1))
        #expect(outcome.status == 0, "\(outcome.story)")
        return outcome.text
      }
    }
    #expect(try printed() == texts.reversed())
    // A command has made a version that no remote has yet.
    try sandbox.write("* Four\n", to: "org/a.org")
    try sandbox.syncd("restore", "a.org", "--at", "1")
    #expect(try printed().first == "* One\n")
  }

  @Test("log PATH::*Title lists the versions that changed the subtree of a heading, under whichever title")
  func heading() throws {
    let sandbox = try Sandbox()
    let versions = [
      "* A\na\n", "* A\na\n* Plan the garden\nbeans and peas\n", "* A\nb\n* Plan the garden\nbeans and peas\n",
      "* A\nb\n* Plan the garden\nbeans and peas\n** Water\n",
      "* Z\n* A\nb\n* Plan the garden\nbeans and peas\n** Water\n",
      "* Z\n* A\nb\n* TODO Plan the large garden\nbeans and peas\n** Water\n", "* Z\n* A\nc\n",
    ]
    for version in versions {
      try sandbox.write(version, to: "org/a.org")
      try sandbox.once()
    }
    func changes(_ subject: String, _ words: String...) throws -> [String] {
      let outcome = try sandbox.command(["log", subject] + words).run()
      #expect(outcome.status == 0, "\(outcome.story)")
      return outcome.text.matches(of: /(?m)^pass (\d+) .*heading: (.*)$/).map { "\($0.1) \($0.2)" }
    }
    #expect(try changes("a.org::*Plan the large garden") == ["7 removed", "6 changed", "4 changed", "2 added"])
    #expect(try changes("a.org::*Plan the garden") == ["6 removed", "4 changed", "2 added"])
    #expect(try changes("a.org::*Plan the garden/Water") == ["6 removed", "4 added"])
    #expect(try changes("a.org::*A", "-l", "2") == ["7 changed", "3 changed"])
    #expect(try changes("a.org::*A").last == "1 added")
    #expect(
      try sandbox.syncd("log", "-p", "a.org::*Plan the large garden").text.contains(
        "title: Plan the garden → Plan the large"))
    #expect(try sandbox.syncd("log", "a.org::*Unknown").status == 4)
  }

  @Test("show and restore accept a time, and report one that is older than the history")
  func time() throws {
    let (sandbox, passes) = try history()
    #expect(try sandbox.syncd("show", "a.org", "--at", "2100-01-01 00:00").text == "* Three\n")
    #expect(try sandbox.syncd("log", "--since", "1h").text == sandbox.syncd("log").text)
    #expect(try sandbox.syncd("log", "--until", "2001-01-01").text == "no passes in this period\n")
    let outcome = try sandbox.syncd("restore", "a.org", "--at", "2001-01-01T00:00:00Z")
    #expect(outcome.status != 0 && outcome.err.contains("does not reach back to 2001-01-01"))
    #expect(try sandbox.syncd("show", "a.org", "--at", "tomorrow").status == 2)
    #expect(try sandbox.syncd("show", "a.org", "--at", "\(passes[0])").text == "* One\n")
  }

  @Test("diff shows the changes since the version that was last replaced, or between any two versions")
  func diff() throws {
    let (sandbox, passes) = try history()
    try sandbox.write("* Four\n", to: "org/a.org")
    func diff(_ words: String...) throws -> [String] {
      try sandbox.command(["diff"] + words).run().text.split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    struct Document: Decodable {
      var from: String?
      var to: String?
      var changes: [String]
    }
    #expect(try diff("a.org").contains { $0.contains("Two") } && diff("a.org").contains { $0.contains("Four") })
    let between = try diff("a.org", "\(passes[0])", "\(passes[1])")
    #expect(between.contains { $0.contains("One") } && between.contains { $0.contains("Two") })
    #expect(try diff("a.org", "\(passes[2])", "2100-01-01") == [])
    #expect(try diff("b.org", "\(passes[1])") == ["removed, 4 B"])
    #expect(try diff("b.org", "\(passes[2])", "\(passes[0])") == ["new, 4 B"])
    let document = try sandbox.syncd("diff", "b.org", "\(passes[0])", "--json").json(Document.self)
    #expect(document.to == nil && document.changes == ["removed, 4 B"])
    let digest = try #require(document.from)
    #expect(try diff("b.org", String(digest.prefix(8))) == ["removed, 4 B"])
    for words in [["nonsense.org"], ["a.org", "ffffffff"], ["a.org", "soon"], ["c.org"]] {
      let outcome = try sandbox.command(["diff"] + words).run()
      #expect(outcome.status != 0 && outcome.out.isEmpty && !outcome.err.isEmpty, "\(words)")
    }
  }

  @Test("deleted lists deleted files until they are restored")
  func deleted() throws {
    let (sandbox, passes) = try history()
    #expect(try sandbox.syncd("deleted").text.contains("pass \(passes[2])  b.org  (4 B)"))
    try sandbox.move("org/c.org", "org/d/e.org")
    try sandbox.once()
    let lines = try sandbox.syncd("deleted", "--since", "1h").text.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("c.org  (4 B, same content in d/e.org)"), "\(lines)")
    #expect(try sandbox.syncd("deleted", "b.*").text.split(separator: "\n").count == 1)
    #expect(try sandbox.syncd("deleted", "x").text == "no deleted files\n")
    #expect(try sandbox.syncd("restore", "b.org").status == 0)
    try sandbox.write("again", to: "org/c.org")
    #expect(try sandbox.syncd("deleted").text == "no deleted files\n")
  }

  @Test("restore writes one file as a new change, and the replaced version is in the history")
  func restore() throws {
    let (sandbox, passes) = try history()
    try sandbox.write("* Not yet synced\n", to: "org/a.org")
    #expect(try sandbox.syncd("restore", "a.org", "--at", "\(passes[0])").status == 0)
    #expect(sandbox.store["a.org"] == "* One\n" && sandbox.tree("home")["a.org"] == "* Three\n")
    #expect(try sandbox.syncd("restore", "b.org").status == 0)
    try sandbox.once()
    #expect(
      sandbox.store == sandbox.tree("home") && sandbox.store["b.org"] == "* B\n" && sandbox.store["a.org"] == "* One\n")
    let known = try sandbox.versions(of: "a.org")
    for version in ["* Two\n", "* Three\n", "* Not yet synced\n"] { #expect(known.contains(version), "\(version)") }
    #expect(try sandbox.syncd("restore", "nonsense.org").status != 0)
  }

  @Test("restore restores folders and patterns as they were, and undo reverts all of it")
  func restoreMany() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/j/a.org": "* A\n", "org/j/deep/b.org": "* B\n", "org/c.org": "* C\n", "org/j/d.txt": "d\n",
    ])
    let pass = try sandbox.once().pass
    try sandbox.write(["org/j/a.org": "* A 2\n", "org/c.org": "* C 2\n", "org/j/new.org": "* New\n"])
    try sandbox.remove("org/j/deep/b.org")
    try sandbox.once()
    let before = sandbox.store
    let planned = try sandbox.syncd("restore", "j/", "--at", "\(pass)", "--dry-run")
    #expect(
      planned.text == "would restore j/a.org\nwould restore j/deep/b.org\nj/new.org was added later and stays\n",
      "\(planned.story)")
    #expect(sandbox.store == before)
    #expect(try sandbox.syncd("restore", "j").status == 2)
    #expect(try sandbox.syncd("restore", "j", "--at", "\(pass)").status == 0)
    #expect(sandbox.store["j/a.org"] == "* A\n" && sandbox.store["j/deep/b.org"] == "* B\n")
    #expect(sandbox.store["c.org"] == "* C 2\n" && sandbox.store["j/new.org"] == "* New\n")
    #expect(try sandbox.syncd("undo", "last").status == 0)
    #expect(sandbox.store.withoutEmptyFolders == before.withoutEmptyFolders)
    let json = try sandbox.syncd("restore", "*.org", "--at", "\(pass)", "--json")
    #expect(try JSONSchema("restore").mistakes(in: JSONSerialization.jsonObject(with: json.out)) == [])
    #expect(sandbox.store["c.org"] == "* C\n" && sandbox.store["j/a.org"] == "* A\n")
    try sandbox.once()
    #expect(sandbox.store.withoutEmptyFolders == sandbox.tree("home").withoutEmptyFolders)
  }

  @Test("an error that is not of one file ends the restoration of a folder")
  func restoreToFullDisk() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/j/a.org": "* A\n", "org/j/b.org": "* B\n"])
    let pass = try sandbox.once().pass
    try sandbox.write(["org/j/a.org": "* A 2\n", "org/j/b.org": "* B 2\n"])
    try sandbox.once()
    let before = sandbox.store
    let outcome = try sandbox.syncd(
      "restore", "j", "--at", "\(pass)",
      environment: ["SYNCD_FAILPOINTS": "tree.temporary.writing=error(ENOSPC)@first"])
    #expect(outcome.status != 0 && outcome.out.isEmpty, "\(outcome.story)")
    #expect(outcome.err.split(separator: "\n").count { $0.contains("tree.temporary.writing") } == 1)
    #expect(sandbox.store == before)
    #expect(try sandbox.syncd("restore", "j", "--at", "\(pass)").text.split(separator: "\n").count == 2)
  }

  @Test("restore restores the files of a deleted folder")
  func restoreFolder() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/d/e/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.remove("org/d")
    try sandbox.once()
    #expect(try sandbox.syncd("restore", "d/e/a.org").status == 0)
    #expect(sandbox.store["d/e/a.org"] == "* A\n")
  }

  @Test("undo reverts everything that a pass did to the store, and nothing else")
  func undo() throws {
    let (sandbox, passes) = try history()
    try sandbox.write("* Not yet synced\n", to: "org/c.org")
    #expect(try sandbox.syncd("undo", "\(passes[2])").status == 0)
    #expect(
      sandbox.store.files.mapValues { String(decoding: $0, as: UTF8.self) } == [
        "a.org": "* Two\n", "b.org": "* B\n", "c.org": "* Not yet synced\n",
      ])
    try sandbox.once()
    #expect(sandbox.store == sandbox.tree("home"))
    #expect(try sandbox.versions(of: "a.org").contains("* Three\n"))
    // Files that were changed since then stay unchanged, and are reported.
    try sandbox.write("* Later\n", to: "home/a.org")
    let pass = try sandbox.once().pass
    try sandbox.write("* Latest\n", to: "org/a.org")
    let outcome = try sandbox.syncd("undo", "\(pass)")
    #expect(outcome.status == 4 && outcome.err.contains("a.org"))
    #expect(sandbox.store["a.org"] == "* Latest\n")
    #expect(try sandbox.syncd("undo", "9999").status != 0)
  }

  @Test(
    "an undo or a restore that is killed anywhere is completed by the same command",
    arguments: [["undo", "2"], ["restore", "*.org", "--at", "1"]])
  func killed(words: [String]) throws {
    for place in stride(from: 1, to: .max, by: isSoak ? 1 : 15) {
      let sandbox = try Sandbox()
      try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
      try sandbox.once()
      try sandbox.write(["home/a.org": "* A edited\n", "home/b.org": "* B edited\n"])
      try sandbox.remove("home/c.org")
      try sandbox.once()
      let killed = try sandbox.command(words, environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).run().status
      #expect(killed == 137 || killed == 0)
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 0, "\(outcome.story) after a kill at place \(place)")
      try sandbox.once()
      let files = sandbox.store.files.mapValues { String(decoding: $0, as: UTF8.self) }
      #expect(files == ["a.org": "* A\n", "b.org": "* B\n", "c.org": "* C\n"], "place \(place)")
      #expect(sandbox.store == sandbox.tree("home"), "place \(place)")
      for (path, text) in [("a.org", "* A edited\n"), ("b.org", "* B edited\n")] {
        #expect(try sandbox.versions(of: path).contains(text), "place \(place)")
      }
      if killed == 0 {
        print("*** \(words[0]) was killed at places up to \(place) ***")
        break
      }
    }
  }

  @Test("undo reverts what a pass sent to the remote, on both sides, and lists it first")
  func undoOutward() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    let first = try sandbox.syncd("undo", "last")
    #expect(first.text.contains("only sent 3 files of the store that the remote did not have"), "\(first.story)")
    #expect(sandbox.store.names == ["a.org", "b.org", "c.org"])
    try sandbox.write(["org/a.org": "* A edited\n", "org/new.org": "* New\n"])
    try sandbox.remove("org/b.org")
    let pass = try sandbox.once().pass
    let before = sandbox.store
    let listed = try sandbox.syncd("undo", "\(pass)", "--list")
    #expect(
      listed.status == 0
        && listed.text.split(separator: "\n").sorted() == ["put back b.org", "restore a.org"])
    #expect(sandbox.store == before)
    let outcome = try sandbox.syncd("undo", "last")
    #expect(outcome.status == 0 && outcome.text.contains("undid 2 changes of pass \(pass)"), "\(outcome.story)")
    try sandbox.once()
    #expect(sandbox.store["a.org"] == "* A\n" && sandbox.store.names == ["a.org", "b.org", "c.org", "new.org"])
    #expect(sandbox.store == sandbox.tree("home"))
    #expect(try sandbox.versions(of: "a.org").contains("* A edited\n"))
  }

  @Test("the log of an unknown file is an error")
  func logOfNothing() throws {
    let (sandbox, _) = try history()
    let outcome = try sandbox.syncd("log", "nope.org")
    #expect(outcome.status == 4 && outcome.err.contains("nope.org is not in the store"), "\(outcome.story)")
    try sandbox.write("* Young\n", to: "org/young.org")
    #expect(try sandbox.syncd("log", "young.org").status == 0)
  }

  @Test("undoing the arrival of a file removes it, and keeps it in the history")
  func undoArrival() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["home/new.org": "* New\n", "org/a.org": "* A\n", "org/b.org": "* B\n"])
    let pass = try sandbox.once().pass
    #expect(try sandbox.syncd("undo", "\(pass)").status == 0)
    #expect(sandbox.store.names == ["a.org", "b.org"])
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "b.org"])
    #expect(try sandbox.syncd("show", "new.org").text == "* New\n")
  }

  @Test("why explains the decision and the facts behind it")
  func why() throws {
    let (sandbox, passes) = try history()
    let text = try sandbox.syncd("why", "b.org").text
    #expect(text.contains("remove") && text.contains("pass \(passes[2])") && text.contains("home"))
    #expect(try JSONSerialization.jsonObject(with: sandbox.syncd("why", "a.org", "--json").out) is [String: Any])
    try sandbox.write("x", to: "org/left.org~")
    #expect(try sandbox.syncd("why", "left.org~").text.contains("excluded"))
  }

  @Test("all of a thousand changes of a file are kept for the week")
  func many() throws {
    let sandbox = try Sandbox(settings: "history = \"0s\"")
    try sandbox.write("* Other\n", to: "org/b.org")
    for number in 0..<12 {
      try sandbox.write("* Number \(number)\n", to: "org/a.org")
      try sandbox.once()
    }
    #expect(try Set(sandbox.versions(of: "a.org")).isSuperset(of: (0..<11).map { "* Number \($0)\n" }))
  }
}
