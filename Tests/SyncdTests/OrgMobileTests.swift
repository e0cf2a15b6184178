import Foundation
import ProgramTesting
import Testing

/// The program with a staging area that real Emacs pushes to and pulls from.
@Suite struct OrgMobileTests {
  private static let script = URL(filePath: #filePath)
    .appending(path: "../../BackendOrgMobileTests/Emacs/emacs-orgmobile.sh").standardizedFileURL.path
  private static let hasEmacs = FileManager.default.isExecutableFile(atPath: "/usr/bin/emacs")

  /// A sandbox with a staging area that Emacs has pushed to, from the folder `desk`.
  private func sandbox(password: String? = nil) throws -> Sandbox {
    let box = try Sandbox()
    let sealing = password == nil ? "" : "encryption = \"openssl\"\n"
    let secret = password.map { "[remotes.home.openssl]\npassword = \"\($0)\"\n" } ?? ""
    try box.write(
      """
      [syncd]
      state = "state"
      [store]
      path = "org"
      [remotes.home]
      sync = "org-mobile"
      cloud = "folder"
      \(sealing)[remotes.home.folder]
      path = "staging"
      create = true
      \(secret)
      """, to: "s.toml")
    try box.write("* One\n* Two\n", to: "desk/work.org")
    try FileManager.default.createDirectory(atPath: box.path("staging"), withIntermediateDirectories: true)
    return box
  }

  private func emacs(_ action: String, _ box: Sandbox, password: String? = nil) throws {
    let words = [Self.script, action, "--org-dir", box.path("desk"), "--staging", box.path("staging"), "--no-ids"]
    let outcome = try Command(words + (password.map { ["--encrypt", $0] } ?? [])).run()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
  }

  @Test("the Org settings of Emacs are shown separately, and the merger uses them")
  func desktopSetup() throws {
    guard Self.hasEmacs else { return skip("Emacs is not installed") }
    let box = try sandbox()
    let file = "#+TODO: OPEN | FINISHED\n* OPEN One :home:\n"
    try box.write(file, to: "desk/work.org")
    #expect(!(try box.syncd("settings", "show").text.contains("[desktop.")))
    try emacs("push", box)
    #expect(try box.once().result == "synced")
    let shown = try box.syncd("settings", "show").text
    #expect(
      shown.contains("[desktop.home]\ntodo = [\"TODO DONE\", \"OPEN | FINISHED\"]\ntags = [\"home\"]\n"), "\(shown)")
    let document = try box.syncd("settings", "show", "--json").text
    #expect(document.contains("\"desktops\""))
  }

  @Test("an entry captured in a shell reaches Emacs with its next pull, once", arguments: [nil, "secret"])
  func capture(password: String?) throws {
    guard Self.hasEmacs else { return skip("Emacs is not installed") }
    let box = try sandbox(password: password)
    try emacs("push", box, password: password)
    #expect(try box.once().result == "synced")
    #expect(box.read("org/work.org") == "* One\n* Two\n")
    try box.syncd("capture", "Call", "the", "plumber")
    try box.write("* TODO One\n* Two\n", to: "org/work.org")
    let report = try box.once()
    #expect(report.result == "waiting")
    #expect(report.actions(on: "inbox.org").map(\.result) == ["waiting"])
    let status = try box.syncd("status", "--json").json(Status.self)
    #expect(status.remotes[0].pending.contains { $0.hasPrefix("inbox.org: ") })
    // A second run sends nothing again.
    #expect(try box.once().result == "waiting")
    try emacs("pull", box, password: password)
    #expect(try box.once().result == "synced")
    let inbox = try #require(box.read("desk/from-mobile.org"))
    #expect(inbox.components(separatedBy: "* Call the plumber\n").count == 2 && inbox.hasPrefix("* Call"))
    #expect(box.read("desk/work.org")?.contains("* TODO One\n") == true)
    try emacs("push", box, password: password)
    #expect(try box.once().result == "synced")
    #expect(box.read("org/work.org") == box.read("desk/work.org"))
  }

  @Test func `a folder that was never pushed to is not a staging area`() throws {
    let box = try sandbox()
    try box.write("* Mine\n", to: "org/a.org")
    let report = try box.once(status: 6)
    #expect(report.home.error?.contains("org-mobile-push") == true)
    #expect(box.tree("staging").files.isEmpty)
    #expect(try box.once("--dry-run", status: 10).version == 1)
  }

  @Test func `a cipher that a backend cannot use is refused before anything is changed`() throws {
    let box = try Sandbox()
    try box.writeSettings(remote: "encryption = \"openssl\"")
    try box.write("[remotes.home.openssl]\npassword = \"x\"\n", to: "more")
    try box.write(try #require(box.read("s.toml")) + (box.read("more") ?? ""), to: "s.toml")
    try box.write("* Mine\n", to: "org/a.org")
    let outcome = try box.syncd("--once")
    #expect(outcome.status == 8 && outcome.story.contains("does not support this `encryption`"))
    #expect(box.read("home/a.org") == nil)
  }
}
