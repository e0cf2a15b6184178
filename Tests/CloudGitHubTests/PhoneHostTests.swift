import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import Testing

/// The example of an app without a folder: a store in one file, GitHub's API, and an edit by OrgKit.
@Suite("The example of a phone")
struct PhoneHostTests {
  private func run(_ folder: String, _ github: TestGitHub, _ repository: String, _ task: String) async throws -> Outcome
  {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try await Command([
      Command.built("phone-host"), folder, repository, TestGitHub.token, github.url + "/api/v3", task,
    ]).finish()
  }

  @Test("two phones finish tasks, and the branch has both edits and valid objects")
  func phones() async throws {
    let github = try await TestGitHub()
    let repository = try await github.repository([
      "inbox.org": "* TODO Milk\n* TODO Bread\n", "journal/monday.org": "* Monday\n",
    ])
    let scratch = ScratchFolder()
    for (phone, task) in [("one", "Milk"), ("two", "Bread")] {
      let outcome = try await run("\(scratch.path)/\(phone)", github, repository, task)
      #expect(
        outcome.status == 0 && outcome.text.components(separatedBy: "github: synced").count == 3, "\(outcome.story)")
    }
    let texts = try await github.emulator.texts(of: repository)
    let lines = (texts["inbox.org"] ?? "").split(separator: "\n").filter { $0.hasPrefix("*") }
    #expect(lines == ["* DONE Milk", "* DONE Bread"] && texts["journal/monday.org"] == "* Monday\n", "\(texts)")
    // The store is one file, and no note is a file of its own.
    let names = FileManager.default.enumerator(atPath: "\(scratch.path)/one")?.compactMap { $0 as? String } ?? []
    #expect(
      names.contains("org.sqlite") && !names.contains { $0.hasSuffix(".org") || $0.contains("journal") }, "\(names)")
    let check = try Command(["git", "--git-dir", github.folder(of: repository), "fsck", "--strict"]).run()
    #expect(check.status == 0, "\(check.story)")
    #expect(try await run("\(scratch.path)/one", github, repository, "None").status != 0)
  }

  @Test("the example has at most forty lines of code")
  func length() throws {
    var project = URL(filePath: #filePath)
    for _ in 0..<3 { project.deleteLastPathComponent() }
    let text = try String(contentsOf: project.appending(path: "Examples/PhoneHost/PhoneHost.swift"), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("///") }
    #expect(lines.count <= 40, "\(lines.count)")
  }
}
