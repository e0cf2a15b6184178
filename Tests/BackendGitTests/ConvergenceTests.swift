import Foundation
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

@Suite("Convergence of devices and a git user") struct ConvergenceTests {
  @Test(
    "devices and a git user start with an empty repository and exchange edits, moves and deletions",
    arguments: TestServer.Kind.allCases)
  func everything(kind: TestServer.Kind) async throws {
    guard let server = TestServer.shared(kind) else { return }
    let repo = try server.repository()
    let (one, two) = try (TestDevice("one", on: repo), TestDevice("two", on: repo))
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org", "gr\u{FC}n/\u{E9}.org"] {
      try await one.write("* \(name)\n", to: name)
    }
    for device in [one, two] { try await device.expectHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    #expect(try repo.texts() == (try await one.texts()))
    #expect(try git("rev-list", "--count", "main", in: repo.path) == "1\n")

    let hand = try repo.clone()
    try hand.write("* by hand\n", to: "hand.org")
    try hand.push()
    try await one.remove("delete.org")
    try await one.remove("old/move.org")
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.expectHealthyRun("second") }
    let expected = [
      "keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n",
      "hand.org": "* by hand\n", "gr\u{FC}n/\u{E9}.org": "* gr\u{FC}n/\u{E9}.org\n",
    ]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
    try hand.git("pull", "-q", "--ff-only")
    #expect(hand.read("edit.org") == "* edited\n")
    #expect(try git("rev-list", "--count", "main", in: repo.path) == "4\n")
    let before = try git("rev-parse", "main", in: repo.path)
    for device in [one, two] {
      let quiet = try await device.sync()
      #expect(quiet.result == .synced && !quiet.didSomething)
    }
    #expect(try git("rev-parse", "main", in: repo.path) == before)
    try repo.expectSound()
  }
}
