import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import FileTree

/// Files that may not be read or written.
@Suite struct PermissionTests {
  let folder = TestFolder()

  @Test(.enabled(if: Permissions.bind, "root notices permissions only in a program of its own"))
  func `a file without read permission is unread and never absent`() async throws {
    folder.write("secret", to: "closed/a.org")
    folder.write("secret", to: "b.org")
    try setMode(0, "closed")
    try setMode(0, "b.org")
    let tree = folder.tree()
    let closed = SyncPath("closed/a.org")!
    let snapshot = try await tree.list(since: Known())
    #expect(snapshot.unread.map(\.path) == [SyncPath("closed")!])
    let findings = try await tree.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.hasPrefix("cannot read closed") })
    guard case .unknown = try await tree.confirm([closed])[0] else { throw TestFailure("closed") }
    let results = try await tree.read([SyncPath("b.org")!, closed], into: Collector())
    for result in results {
      guard case .failed(let error) = result, error.code == .pathFailed else { throw TestFailure("read: \(result)") }
    }
    try setMode(0o700, "closed")
  }

  @Test(.enabled(if: Permissions.bind, "root notices permissions only in a program of its own"))
  func `a file without write permission is reported and unchanged`() async throws {
    folder.write("old", to: "a.org")
    try setMode(0o500, "")
    let tree = folder.tree()
    for result in [
      try await tree.create(SyncPath("new.org")!, "x"), try await tree.replace(a, "old", by: "x"),
      try await tree.replace(a, "old", by: nil),
    ] { #expect("\(result)".contains("Permission denied")) }
    #expect(folder.names == ["a.org"] && folder.text("a.org") == "old")
    try setMode(0o700, "")
  }

  @Test(.enabled(if: !Permissions.bind, "they bind the tests themselves"))
  func `the permission tests pass in a program without root's rights`() async throws {
    let words = [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "PermissionTests"]
    var command = Command(words)
    command.environment["TMPDIR"] = NSTemporaryDirectory()
    let outcome = try await command.boundByPermissions.finish()
    let lines = (outcome.text + outcome.err).split(separator: "\n")
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(lines.count { $0.contains("permission is") && $0.contains(" passed ") } == 2, "\(outcome.story)")
  }

  private func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + "/" + name)
  }
}
