import ProgramTesting
import SyncKit
import Testing

@testable import BackendGit

@Suite("Rewritten history") struct RewrittenHistoryTests {
  /// A device that has seen two commits of a repository, and the first of them.
  private func prepared() async throws -> (repo: Repo, device: TestDevice, hand: Clone, first: String) {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo)
    for number in 0..<3 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.expectHealthyRun()
    let hand = try repo.clone()
    let first = try hand.git("rev-parse", "HEAD").trimmingSuffix
    try hand.write("* later\n", to: "later.org")
    try hand.push()
    try await device.expectHealthyRun()
    return (repo, device, hand, first)
  }

  @Test("a branch without the last known commit is refused with a remedy, and nothing changes")
  func setBack() async throws {
    let (repo, device, hand, first) = try await prepared()
    let last = try hand.git("rev-parse", "HEAD").trimmingSuffix
    try hand.git("reset", "-q", "--hard", first)
    try hand.write("* other\n", to: "other.org")
    try hand.git("add", "-A")
    try hand.git("commit", "-q", "-m", "other")
    try hand.git("push", "-q", "--force", "origin", "HEAD")
    let before = try await device.texts()
    try await device.write("* new here\n", to: "new.org")
    let report = try await device.sync()
    let failure = try #require(report.failure)
    #expect(failure.code == .wrongReplica && report.result == .held)
    let now = try hand.git("rev-parse", "HEAD").trimmingSuffix
    #expect(failure.message.contains(last.prefix(10)) && failure.message.contains("accept = \"\(now.prefix(10))\""))
    #expect(try await device.texts() == before.merging(["new.org": "* new here\n"]) { $1 })
    #expect(try git("rev-parse", "main", in: repo.path).trimmingSuffix == now)

    // As the message said: syncd continues from the new history, with the changes of both sides.
    let accepted = try await device.sync { $0.accept = String(now.prefix(10)) }
    #expect(accepted.result == .synced && accepted.notices.contains { $0.contains("nothing is deleted") })
    let expected = before.merging(["new.org": "* new here\n", "other.org": "* other\n"]) { $1 }
    #expect(try await device.texts() == expected)
    #expect(try repo.texts() == expected)
    // The choice is stored, and later passes work as usual.
    try await device.remove("later.org")
    try await device.expectHealthyRun()
    #expect(try repo.texts()["later.org"] == nil)
    try repo.expectSound()
  }

  @Test("syncing continues when the lost commit is pushed again")
  func broughtBack() async throws {
    let (repo, device, hand, first) = try await prepared()
    let last = try hand.git("rev-parse", "HEAD").trimmingSuffix
    try git("update-ref", "refs/heads/main", first, in: repo.path)
    #expect(try await device.sync().failure?.code == .wrongReplica)
    try hand.git("push", "-q", "origin", "\(last):refs/heads/main")
    try await device.expectHealthyRun()
    #expect(try await device.texts()["later.org"] == "* later\n")
  }

  @Test("a missing branch or repository is not treated as an empty one")
  func gone() async throws {
    let (repo, device, _, _) = try await prepared()
    let before = try await device.texts()
    try git("update-ref", "-d", "refs/heads/main", in: repo.path)
    let branch = try #require(try await device.sync().failure)
    #expect(branch.code == .wrongReplica && branch.message.contains("no longer exists"))
    try run(["mv", repo.path, repo.path + ".away"])
    let missing = try #require(try await device.sync().failure)
    #expect(missing.code == .wrongReplica && missing.message.contains("no git repository"), "\(missing)")
    #expect(try await device.texts() == before)
  }

  @Test("a device that lost its copy of the repository also detects rewritten history")
  func lostCopy() async throws {
    let (repo, device, _, first) = try await prepared()
    try run(["rm", "-rf", device.mirrorPath])
    try await device.expectHealthyRun("without the copy")
    try run(["rm", "-rf", device.mirrorPath])
    try git("update-ref", "refs/heads/main", first, in: repo.path)
    #expect(try await device.sync().failure?.code == .wrongReplica)
  }
}

extension String {
  /// The first line, without its end.
  var trimmingSuffix: String { split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
}
