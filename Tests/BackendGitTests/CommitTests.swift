import GitObjects
import OrgMerging
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

@Suite("Commits") struct CommitTests {
  @Test("commits of two devices that edited one Org file merge as Org, with readable messages")
  func merged() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let one = try TestDevice("laptop", on: repo, merger: OrgMerger()) { $0.signOff = true }
    let two = try TestDevice("desktop", on: repo, merger: OrgMerger())
    let text = "* Conference\n** TODO Draft the talk\nForty minutes.\n* Garden\n"
    try await one.write(text, to: "notes.org")
    for device in [one, two] { try await device.expectHealthyRun() }
    try await one.write(text.replacing("TODO Draft", with: "DONE Draft"), to: "notes.org")
    try await two.write(text.replacing("* Garden\n", with: "* Garden\nWater the tomatoes.\n"), to: "notes.org")
    for device in [one, two, one] { try await device.expectHealthyRun() }
    let merged = text.replacing("TODO Draft", with: "DONE Draft")
      .replacing("* Garden\n", with: "* Garden\nWater the tomatoes.\n")
    #expect(try await one.texts() == ["notes.org": merged])
    #expect(try repo.texts() == ["notes.org": merged])
    let log = try git("log", "-p", "--format=%an|%s|%(trailers:key=Signed-off-by,valueonly)", "main", in: repo.path)
    #expect(log.contains("Test|Change notes.org|"))
    #expect(log.contains("Test|Add notes.org|Test <test@example.org>"))
    #expect(log.contains("+Water the tomatoes.") && log.contains("-** TODO Draft the talk"))
    let changed = log.split(separator: "\n").filter { ($0.hasPrefix("+") || $0.hasPrefix("-")) && !$0.hasPrefix("+++") }
    // The first version, one line replaced, one line added: nothing is written twice.
    #expect(changed.count { !$0.hasPrefix("---") } == 4 + 2 + 1, "\(changed)")
    #expect(try git("rev-list", "--count", "--min-parents=2", "main", in: repo.path) == "0\n")
    try repo.expectSound()
  }

  @Test("a commit message says what happened to which files")
  func message() throws {
    let paths = try ["a.org", "b\nc.org", "d.org"].map { try SyncPath($0).orThrow("") }
    let message = CommitMessage(
      files: [(.change, paths[0]), (.add, paths[1]), (.change, paths[2])], device: "laptop", signOff: nil)
    #expect(
      message.text == "Add 1 file, change 2 files\n\nM a.org\nA b\\x0Ac.org\nM d.org\n\nDevice: laptop\n"
        || message.text == "Add 1 file, change 2 files\n\nM a.org\nA b\\x0ac.org\nM d.org\n\nDevice: laptop\n")
    let one = CommitMessage(files: [(.remove, paths[0])], device: "laptop", signOff: Identity("Ann <a@b>"))
    #expect(one.text == "Remove a.org\n\nDevice: laptop\nSigned-off-by: Ann <a@b>\n")
  }

  @Test("a pass makes one commit for all its changes")
  func many() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let (one, two) = try (TestDevice("one", on: repo), TestDevice("two", on: repo))
    for number in 0..<1_500 { try await one.write("* \(number)\n", to: "\(number % 30)/\(number).org") }
    for device in [one, two] { try await device.expectHealthyRun() }
    #expect(try git("rev-list", "--count", "main", in: repo.path) == "1\n")
    #expect(try await two.texts() == one.texts())
  }

  @Test("a dry run makes no commits and writes nothing")
  func dryRun() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo)
    let hand = try repo.clone()
    try hand.write("* by hand\n", to: "hand.org")
    try hand.push()
    try await device.write("* a\n", to: "a.org")
    let preview = try await device.sync(isDryRun: true)
    #expect(preview.failure == nil && preview.actions.count == 2)
    #expect(try run(["test", "-e", device.mirrorPath], mayFail: true) == "")
    #expect(try repo.texts() == ["hand.org": "* by hand\n"])
    #expect(try await device.archive.journal(of: "test").records().isEmpty)
    try await device.expectHealthyRun()
    #expect(try repo.texts() == ["hand.org": "* by hand\n", "a.org": "* a\n"])
    try await device.write("* b\n", to: "b.org")
    #expect(try await device.sync(isDryRun: true).actions.count == 1)
    #expect(try repo.texts()["b.org"] == nil)
  }

  @Test(
    "commits go to the configured branch, or to the repository's default branch",
    arguments: [nil, "notes/org"] as [String?])
  func branches(named: String?) async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository(branch: "trunk")
    let device = try TestDevice("one", on: repo) { $0.branch = named }
    try await device.write("* a\n", to: "a.org")
    try await device.expectHealthyRun()
    #expect(try git("branch", "--format=%(refname:short)", in: repo.path) == "\(named ?? "trunk")\n")
  }

  @Test("a first meeting of a full repository and a full store loses nothing of either")
  func firstMeeting() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    try hand.write("* theirs\n", to: "theirs.org")
    try hand.write("* same\n", to: "same.org")
    try hand.write("* hand\n", to: "both.org")
    try hand.push()
    let device = try TestDevice("one", on: repo)
    try await device.write("* mine\n", to: "mine.org")
    try await device.write("* same\n", to: "same.org")
    try await device.write("* device\n", to: "both.org")
    _ = try await device.sync()
    let texts = try await device.texts()
    #expect(texts == (try repo.texts()))
    #expect(texts["theirs.org"] == "* theirs\n" && texts["mine.org"] == "* mine\n" && texts["same.org"] == "* same\n")
    let all = texts.values.joined()
    #expect(all.contains("* hand\n") && all.contains("* device\n"))
    try repo.expectSound()
  }
}
