import Foundation
import ProgramTesting
import Testing

/// `syncd plan` and `syncd apply`, with the real program.
@Suite("Plans") struct PlanTests {
  private struct Plan: Decodable {
    var remotes: [Remote]
    struct Remote: Decodable { var name: String, changes: [Change] }
    struct Change: Decodable { var path: String, action: String, to: String, local: Version, after: String? }
    struct Version: Decodable {
      var digest: String?
      var lost: [String]
      var gained: [String]
      private enum CodingKeys: String, CodingKey {
        case digest
        case lost = "headings-lost"
        case gained = "headings-gained"
      }
    }
  }

  private func prepared(_ remotes: [String] = ["home"], settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(remotes: remotes, settings: settings)
    try sandbox.write(["org/a.org": "* TODO Beans\n* Compost\n", "org/b.org": "* B\n", "org/c.txt": "one\n"])
    try sandbox.once()
    return sandbox
  }

  @Test("a plan changes nothing, and has the headings that each side loses and gains")
  func plan() throws {
    let sandbox = try prepared()
    try sandbox.write(["home/a.org": "* TODO Beans\n* Peas\n", "org/new.org": "* New\n", "home/c.txt": "two\n"])
    let before = try sandbox.fingerprint()
    let plan = try sandbox.syncd("plan", "--json").json(Plan.self)
    #expect(try sandbox.fingerprint() == before)
    let changes = Dictionary(uniqueKeysWithValues: plan.remotes[0].changes.map { ($0.path, $0) })
    #expect(changes.keys.sorted() == ["a.org", "c.txt", "new.org"])
    let org = try #require(changes["a.org"])
    #expect(org.action == "copy" && org.to == "local" && org.local.lost == ["Compost"] && org.local.gained == ["Peas"])
    #expect(changes["new.org"]?.local.digest == changes["new.org"]?.after)
  }

  @Test("apply makes exactly the changes of a plan, merges and conflicts included, and the plan is then used up")
  func apply() throws {
    let sandbox = try prepared()
    try sandbox.write(["home/a.org": "* DONE Beans\n* Compost\n", "org/a.org": "* TODO Beans\n* Compost now\n"])
    try sandbox.write(["home/c.txt": "theirs\n", "org/c.txt": "ours\n"])
    try sandbox.remove("org/b.org")
    try sandbox.move("home/b.org", "home/kept.org")
    #expect(try sandbox.syncd("plan", "--out", sandbox.path("p.json")).status == 0)
    let outcome = try sandbox.syncd("apply", sandbox.path("p.json"))
    #expect(outcome.status == 3, "\(outcome.story)")
    #expect(sandbox.store["a.org"] == "* DONE Beans\n* Compost now\n" && sandbox.store["kept.org"] == "* B\n")
    #expect(sandbox.store["b.org"] == nil && sandbox.store.names.contains { $0.hasPrefix("c.conflict-") })
    #expect(sandbox.store == sandbox.tree("home"))
    #expect(try sandbox.once(status: 3).home.actions.isEmpty)
    let again = try sandbox.syncd("apply", sandbox.path("p.json"))
    #expect(again.status == 4 && again.err.contains("a.org"), "\(again.story)")
  }

  @Test(
    "apply refuses and names the paths if the world has moved",
    arguments: [
      ["org/a.org": "* Edited\n"], ["home/a.org": "* Edited\n"], ["org/d.org": "* Another\n"],
      ["home/d.org": "* Another\n"],
    ])
  func moved(edit: [String: String]) throws {
    let sandbox = try prepared()
    try sandbox.write(["home/a.org": "* TODO Peas\n", "org/new.org": "* New\n"])
    try sandbox.syncd("plan", "--out", sandbox.path("p.json"))
    try sandbox.write(edit)
    let before = try sandbox.fingerprint()
    let outcome = try sandbox.syncd("apply", sandbox.path("p.json"))
    let name = try #require(edit.keys.first?.split(separator: "/").last)
    #expect(outcome.status == 4 && outcome.err.contains("out of date: \(name)"), "\(outcome.story)")
    #expect(try sandbox.fingerprint() == before)
  }

  @Test("held deletions are made only if the plan approves them, and only those")
  func deletions() throws {
    let sandbox = try Sandbox()
    for number in 0..<12 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    for number in 0..<8 { try sandbox.remove("org/\(number).org") }
    try sandbox.syncd("plan", "--out", sandbox.path("held.json"))
    #expect(try sandbox.syncd("apply", sandbox.path("held.json")).status == 6)
    #expect(sandbox.tree("home")["0.org"] != nil)
    let plan = try sandbox.syncd("plan", "--allow-deletions", "--out", sandbox.path("allowed.json"))
    #expect(plan.text.contains("home: 8 changes\n"), "\(plan.story)")
    #expect(try sandbox.syncd("--once").status == 6)
    try sandbox.remove("org/8.org")
    let late = try sandbox.syncd("apply", sandbox.path("allowed.json"))
    #expect(late.status == 4 && late.err.contains("out of date: 8.org"), "\(late.story)")
    try sandbox.write("* 8\n", to: "org/8.org")
    let outcome = try sandbox.syncd("apply", sandbox.path("allowed.json"))
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.tree("home").files.keys.filter { !$0.hasPrefix(".") }.sorted() == sandbox.store.names)
  }

  @Test("what one remote brings for another one is not part of the plan, and is reported")
  func severalRemotes() throws {
    let sandbox = try prepared(["home", "away"])
    try sandbox.write(["home/from-home.org": "* H\n", "org/mine.org": "* M\n"])
    try sandbox.syncd("plan", "--out", sandbox.path("p.json"))
    let outcome = try sandbox.syncd("apply", sandbox.path("p.json"))
    #expect(
      outcome.text.contains("from-home.org") && outcome.text.contains("not a part of the plan"), "\(outcome.story)")
    #expect(sandbox.store["from-home.org"] == "* H\n" && sandbox.tree("away")["mine.org"] == "* M\n")
    #expect(sandbox.tree("away")["from-home.org"] == nil)
    try sandbox.settle()
    #expect(sandbox.tree("away")["from-home.org"] == "* H\n")
    let some = try sandbox.syncd("plan", "away", "--json").json(Plan.self)
    #expect(some.remotes.map(\.name) == ["away"] && some.remotes[0].changes.isEmpty)
  }

  @Test("a file that is not a plan, a plan for another store and a damaged plan are refused")
  func refused() throws {
    let sandbox = try prepared()
    try sandbox.write("* New\n", to: "org/new.org")
    try sandbox.syncd("plan", "--out", sandbox.path("p.json"))
    let plan = try #require(sandbox.read("p.json"))
    let other = try Sandbox()
    let foreign = try other.syncd("apply", sandbox.path("p.json"))
    #expect(foreign.status == 8 && foreign.err.contains("is for the store"), "\(foreign.story)")
    for (text, word) in [
      ("", "is not a plan"), ("{}", "is not a plan"),
      (plan.replacing("\"version\": 1", with: "\"version\": 2"), "newer version"),
      (plan.replacing("\"copy\"", with: "\"steal\""), "damaged"),
      (plan.replacing("\"home\"", with: "\"hoem\""), "did you mean \"home\""),
    ] {
      try sandbox.write(text, to: "bad.json")
      let outcome = try sandbox.syncd("apply", sandbox.path("bad.json"))
      #expect(outcome.status != 0 && outcome.err.contains(word), "\(outcome.story)")
    }
    #expect(sandbox.tree("home")["new.org"] == nil)
    #expect(try sandbox.syncd("plan", "hme").err.contains("did you mean \"home\"?"))
    #expect(try Command(["stat", "-c", "%a", sandbox.path("p.json")]).run().text == "600\n")
  }

  @Test("without a reachable remote no plan is written")
  func unreachable() throws {
    let sandbox = try prepared(["home", "away"])
    try sandbox.move("away", "unplugged")
    let outcome = try sandbox.syncd("plan", "--out", sandbox.path("p.json"))
    #expect(outcome.status == 6 && outcome.err.contains("cannot plan the remote away"), "\(outcome.story)")
    #expect(sandbox.read("p.json") == nil)
  }
}
