import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import BackendGit

@Suite("The first sync with a git repository") struct BareHeadTests {
  private func hub(_ kind: TestServer.Kind, head: String) throws -> Repo? {
    try TestServer.shared(kind)?.repository(branch: head)
  }

  @Test("HEAD of an empty repository on this machine names the branch afterwards, and a clone checks it out")
  func emptyFolder() async throws {
    let repo = try hub(.file, head: "trunk").orThrow("no folder")
    let device = try TestDevice("laptop", on: repo) { $0.branch = "notes" }
    try await device.write("* A\n", to: "a.org")
    _ = try await device.sync(isDryRun: true)
    #expect(try git("symbolic-ref", "HEAD", in: repo.path) == "refs/heads/trunk\n")
    try await device.expectHealthyRun()
    #expect(try git("symbolic-ref", "HEAD", in: repo.path) == "refs/heads/notes\n")
    let clone = try repo.clone()
    #expect(FileManager.default.contents(atPath: clone.folder + "/a.org") == Data("* A\n".utf8))
  }

  @Test("without a branch in the settings, the one that HEAD of an empty repository names is created")
  func followedHead() async throws {
    let repo = try hub(.file, head: "trunk").orThrow("no folder")
    let device = try TestDevice("laptop", on: repo)
    try await device.write("* A\n", to: "a.org")
    try await device.expectHealthyRun()
    #expect(try repo.texts("trunk") == ["a.org": "* A\n"])
  }

  @Test("HEAD of a repository with other branches, or with a work tree, is not changed") func otherHead() async throws {
    let repo = try hub(.file, head: "main").orThrow("no folder")
    let clone = try repo.clone()
    try clone.write("* Main\n", to: "a.org")
    try clone.push()
    let device = try TestDevice("laptop", on: repo) { $0.branch = "notes" }
    try await device.write("* A\n", to: "a.org")
    try await device.expectHealthyRun()
    #expect(try git("symbolic-ref", "HEAD", in: repo.path) == "refs/heads/main\n")
    let worked = Repo(server: repo.server, address: repo.path + ".work", path: repo.path + ".work")
    try git("init", "-q", "-b", "trunk", worked.path)
    let other = try TestDevice("other", on: worked) { $0.branch = "notes" }
    try await other.write("* A\n", to: "a.org")
    try await other.expectHealthyRun()
    #expect(try git("symbolic-ref", "HEAD", in: worked.path) == "refs/heads/trunk\n")
  }

  @Test("on another host, doctor shows how to set HEAD, and other devices use the only branch") func server()
    async throws
  {
    guard let repo = try hub(.library, head: "trunk") else { return skip("no ssh server") }
    let device = try TestDevice("laptop", on: repo) { $0.branch = "notes" }
    try await device.write("* A\n", to: "a.org")
    try await device.expectHealthyRun()
    let command = "git symbolic-ref HEAD refs/heads/notes"
    let other = try TestDevice("desktop", on: repo)
    try await other.expectHealthyRun()
    #expect(try await other.texts() == ["a.org": "* A\n"])
    let findings = try await other.replica().diagnose()
    #expect(findings.contains { $0.level == .note && $0.text.contains("run `\(command)`") }, "\(findings)")
    try git("symbolic-ref", "HEAD", "refs/heads/notes", in: repo.path)
    #expect(try await !other.replica().diagnose().contains { $0.text.contains("symbolic-ref") })
  }
}
