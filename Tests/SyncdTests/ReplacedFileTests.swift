import Foundation
import ProgramTesting
import Testing

/// A synced file is replaced by something that syncd does not sync.
@Suite("A file that becomes a symbolic link") struct ReplacedFileTests {
  @Test(
    "status says what it is now and that the other side keeps the file, and nothing is deleted",
    arguments: ["org", "home"])
  func link(side: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/a.org": "* A\n", "org/sub/b.org": "* B\n", "org/c.org": "* C\n", "elsewhere/b.org": "* X\n",
    ])
    try sandbox.once()
    let other = side == "org" ? "home" : "org"
    try sandbox.shell(
      "cd \(side); mv a.org ../kept; ln -s ../kept a.org; rm -r sub; ln -s ../elsewhere sub; ln -s c.org new.org")
    for _ in 0..<2 {
      let report = try sandbox.once()
      #expect(report.result == "waiting", "\(report)")
      #expect(sandbox.tree(other)["a.org"] == "* A\n" && sandbox.tree(other)["sub/b.org"] == "* B\n")
      #expect(sandbox.tree(other)["new.org"] == nil)
      let text = try sandbox.syncd("status").text
      let (here, there) = side == "org" ? ("store", "remote") : ("remote", "store")
      #expect(text.contains("2 files pending since the last pass"), "\(text)")
      #expect(text.contains("a.org: in the \(here) it is now a symbolic link. "), "\(text)")
      #expect(text.contains("sub/b.org: in the \(here) sub is now a symbolic link. "), "\(text)")
      #expect(text.contains("the \(there) keeps the file"), "\(text)")
      #expect(!text.contains("new.org"), "a link that never was a file is only a note of the run: \(text)")
    }
    // Edits of the other side wait, too.
    try sandbox.write("* A\nedited\n", to: "\(other)/a.org")
    try sandbox.once()
    #expect(sandbox.tree(other)["a.org"] == "* A\nedited\n" && sandbox.read("kept") == "* A\n")
    try sandbox.shell("cd \(side); rm a.org sub; mv ../kept a.org; mkdir sub; echo '* B' >sub/b.org")
    #expect(try sandbox.once().result == "synced")
    #expect(sandbox.store["a.org"] == "* A\nedited\n" && sandbox.tree("home")["a.org"] == "* A\nedited\n")
    #expect(try !sandbox.syncd("status").text.contains("pending"))
  }

  @Test("deleting the link deletes the file on the other side", arguments: ["org", "home"])
  func deleted(side: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.shell("cd \(side); rm a.org; ln -s c.org a.org")
    try sandbox.once()
    try sandbox.shell("rm \(side)/a.org")
    #expect(try sandbox.once().result == "synced")
    #expect(sandbox.store.names == ["c.org"] && sandbox.tree(side == "org" ? "home" : "org")["a.org"] == nil)
  }
}
