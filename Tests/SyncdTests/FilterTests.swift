import Foundation
import ProgramTesting
import Testing

/// Filters: the files that are synced.
@Suite struct FilterTests {
  @Test(
    "temporary files of other programs are not synced",
    arguments: [
      ".#a.org", "#a.org#", "a.org~", "a.org.~1~", "a.~undo-tree~", ".saves-1", "x.elc", ".org-id-locations", ".orgids",
      "org-roam.db",
      ".DS_Store", "._a", "Thumbs.db", "desktop.ini", ".a.swp", "4913", ".git/config", ".jj/repo", ".hg/hgrc",
      ".svn/wc.db", ".stfolder/x",
      ".stversions/a.org", ".dropbox",
      "a.partial", ".fuse_hidden1", ".nfs1", "sub/.#b.org",
    ])
  func defaults(name: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/\(name)": "mine", "home/\(name)2/x~": "theirs"])
    try sandbox.once()
    #expect(sandbox.tree("home").files[name] == nil)
    #expect(sandbox.read("org/\(name)") == "mine" && sandbox.read("home/\(name)2/x~") == "theirs")
    #expect(sandbox.tree("home")["a.org"] == "* A\n")
  }

  @Test("other dot files are synced")
  func dotFiles() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/.dir-locals.el": "()", "org/.projectile": "", "org/.hidden/a.org": "* A\n"])
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store && sandbox.store.files.count == 3)
  }

  @Test(".syncdignore has git's syntax, the last matching line decides, and the file itself is not synced")
  func ignoreFile() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/.syncdignore": "# a comment\n*.log\n!keep.log\n/top.org\nbuild/\n**/deep/*.tmp\n\n\\#x\n",
      "org/a.log": "", "org/keep.log": "k", "org/top.org": "", "org/sub/top.org": "t", "org/build/x.org": "",
      "org/sub/build/y.org": "",
      "org/d/deep/z.tmp": "", "org/#x": "", "org/a.org": "a",
    ])
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "keep.log", "sub/top.org"])
  }

  @Test("a .syncdignore on a remote excludes nothing in the store")
  func ignoreFileOfARemote() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["home/.syncdignore": "*.org\n", "org/a.org": "a"])
    try sandbox.once()
    try sandbox.write("b", to: "org/b.org")
    try sandbox.once()
    #expect(sandbox.tree("home").names == [".syncdignore", "a.org", "b.org"])
    #expect(sandbox.store.names == ["a.org", "b.org"])
  }

  @Test("include and exclude in the settings choose the files")
  func settings() throws {
    let sandbox = try Sandbox(store: "include = [\"**/*.org\", \"*.txt\"]\nexclude = [\"private/**\"]")
    try sandbox.write([
      "org/a.org": "a", "org/b.txt": "b", "org/c.pdf": "c", "org/s/d.org": "d", "org/private/e.org": "e",
      "home/f.pdf": "f",
    ])
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "b.txt", "f.pdf", "s/d.org"])
    #expect(sandbox.store.names == ["a.org", "b.txt", "c.pdf", "private/e.org", "s/d.org"])
  }

  @Test(
    "an excluded file is not deleted, and is compared with the last agreement once included again",
    arguments: ["settings", ".syncdignore"])
  func leaving(how: String) throws {
    let sandbox = try Sandbox()
    for number in 0..<10 { try sandbox.write("* \(number)\n", to: "org/out/\(number).org") }
    try sandbox.write("* In\n", to: "org/in.org")
    try sandbox.once()
    if how == "settings" {
      try sandbox.writeSettings(store: "exclude = [\"out/\"]")
    } else {
      try sandbox.write("out/\n", to: "org/.syncdignore")
    }
    try sandbox.once()
    #expect(sandbox.store.files.keys.count { $0.hasPrefix("out/") } == 10)
    #expect(sandbox.tree("home").files.keys.count { $0.hasPrefix("out/") } == 10)
    // A deletion outside the filter has no effect, even if the filter is removed later.
    try sandbox.remove("org/out/1.org")
    try sandbox.write("* 2\nedited\n", to: "home/out/2.org")
    try sandbox.once()
    #expect(sandbox.tree("home")["out/1.org"] == "* 1\n" && sandbox.store["out/2.org"] == "* 2\n")
    if how == "settings" { try sandbox.writeSettings() } else { try sandbox.remove("org/.syncdignore") }
    _ = try sandbox.syncd("--once")
    #expect(sandbox.store["out/1.org"] == "* 1\n")
    #expect(sandbox.store["out/2.org"] == "* 2\nedited\n")
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("what a remote's own patterns exclude is never there, and nothing is deleted when they change")
  func ofOneRemote() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    let (all, narrow) = (
      try #require(sandbox.read("s.toml")), "[remotes.home]\nexclude = [\"private/\", \"secret.org\"]\n"
    )
    try sandbox.write(all.replacing("[remotes.home]\n", with: narrow), to: "s.toml")
    try sandbox.write([
      "org/a.org": "a", "org/b.org": "b", "org/private/p.org": "p", "org/secret.org": "s", "home/secret.org": "theirs",
    ])
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["a.org", "b.org", "secret.org"])
    #expect(sandbox.tree("home")["secret.org"] == "theirs" && sandbox.store["secret.org"] == "s")
    #expect(sandbox.tree("away") == sandbox.store)
    let why = try sandbox.syncd("why", "--json", "private/p.org").json(Explanation.self)
    #expect(why.excludedFrom == ["home"] && why.takesPart)
    #expect(try sandbox.syncd("why", "private/p.org").text.contains("  home: excluded: "))
    // Edits of the others pass in both directions; a file that becomes excluded stays on both sides.
    try sandbox.write(["org/a.org": "a2", "home/b.org": "b2"])
    try sandbox.once()
    #expect(sandbox.tree("home")["a.org"] == "a2" && sandbox.tree("away")["b.org"] == "b2")
    try sandbox.write(all.replacing("[remotes.home]\n", with: "[remotes.home]\ninclude = [\"a.org\"]\n"), to: "s.toml")
    try sandbox.once()
    #expect(sandbox.tree("home")["b.org"] == "b2" && sandbox.store["b.org"] == "b2")
    // Without patterns, what the store changed meanwhile is an edit.
    try sandbox.write(["org/b.org": "b3"])
    try sandbox.once()
    #expect(sandbox.tree("home")["b.org"] == "b2" && sandbox.tree("away")["b.org"] == "b3")
    try sandbox.write(all, to: "s.toml")
    try sandbox.settle()
    #expect(sandbox.tree("home") == sandbox.store && sandbox.tree("away") == sandbox.store)
    #expect(sandbox.store["b.org"] == "b3" && sandbox.store["private/p.org"] == "p")
  }

  private struct Explanation: Decodable {
    var excludedFrom: [String], takesPart: Bool
    private enum CodingKeys: String, CodingKey {
      case excludedFrom = "excluded-from"
      case takesPart = "takes-part"
    }
  }

  @Test("a folder with ignored files stays when its notes are deleted")
  func folderStays() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/d/a.org": "* A\n", "org/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.write("mine", to: "home/d/.#lock~")
    try sandbox.remove("org/d")
    try sandbox.once()
    #expect(sandbox.tree("home").names == ["b.org", "c.org", "d/.#lock~"])
  }
}
