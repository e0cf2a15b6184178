import Foundation
import ProgramTesting
import Testing

/// Files of other clouds' programs in the store and in a remote's folder, with the real program.
@Suite("Placeholders of other clouds") struct PlaceholderTests {
  private static let names = ["b.org.nextcloud", ".b.org.icloud", "b.org.owncloud"]

  private func prepared() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    return sandbox
  }

  @Test("a file that a placeholder replaces is not deleted, and the placeholder is not copied", arguments: names)
  func evicted(name: String) throws {
    let sandbox = try prepared()
    for (side, other) in [("org", "home"), ("home", "org")] {
      try sandbox.remove("\(side)/b.org")
      try sandbox.write(" ", to: "\(side)/\(name)")
      let report = try sandbox.once()
      #expect(report.home.actions.isEmpty, "\(report)")
      #expect(report.home.notices?.count == 1 && report.home.notices?[0].contains("such as b.org") == true)
      #expect(sandbox.tree(other)["b.org"] == "* B\n" && sandbox.read("\(other)/\(name)") == nil)
      // An edit on the other side waits until the file is there again.
      try sandbox.write("* B\nedited beside \(side)\n", to: "\(other)/b.org")
      try sandbox.once()
      #expect(sandbox.read("\(side)/b.org") == nil && sandbox.read("\(side)/\(name)") == " ")
      try sandbox.remove("\(side)/\(name)")
      try sandbox.write("* B\n", to: "\(side)/b.org")
      try sandbox.once()
      #expect(sandbox.tree(side)["b.org"] == "* B\nedited beside \(side)\n")
      try sandbox.write("* B\n", to: "org/b.org")
      try sandbox.once()
    }
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("files that placeholders replace do not count as deleted, and status names them")
  func all() throws {
    let sandbox = try prepared()
    for name in ["a", "b", "c"] { try sandbox.move("org/\(name).org", "org/\(name).org.nextcloud") }
    try sandbox.writeSettings(store: "exclude = [\"*.nextcloud\"]")
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "b.org", "c.org"])
    let status = try sandbox.syncd("status")
    #expect(
      status.status == 0 && status.text.contains("3 files in the store are placeholders of Nextcloud"),
      "\(status.story)")
    #expect(!status.text.contains("changed in the store"))
    for name in ["a", "b", "c"] { try sandbox.move("org/\(name).org.nextcloud", "org/\(name).org") }
    try sandbox.once()
    #expect(try !sandbox.syncd("status").text.contains("placeholder") && sandbox.tree("home") == sandbox.store)
  }

  @Test("a real deletion beside placeholders passes, and a placeholder beside its file changes nothing")
  func mixed() throws {
    let sandbox = try prepared()
    try sandbox.move("org/a.org", "org/a.org.nextcloud")
    try sandbox.remove("org/b.org")
    try sandbox.write("* C2\n", to: "org/c.org")
    try sandbox.write(" ", to: "org/c.org.nextcloud")
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "c.org"] && sandbox.tree("home")["c.org"] == "* C2\n")
  }
}
