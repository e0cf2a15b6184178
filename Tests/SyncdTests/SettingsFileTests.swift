import Foundation
import ProgramTesting
import Testing

/// The settings file according to the contract: where it is found, its contents, and how it is refused.
@Suite struct SettingsFileTests {
  @Test("the first line of a .syncdignore with a byte order mark is applied")
  func byteOrderMark() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/.syncdignore": "\u{FEFF}private.org\n", "org/private.org": "* P\n", "org/a.org": "* A\n"])
    try sandbox.once()
    #expect(sandbox.read("home/a.org") == "* A\n" && sandbox.read("home/private.org") == nil)
  }

  @Test(
    "a secret in settings that other users can read is refused, without repeating it", arguments: [0o640, 0o604, 0o644])
  func readableSecret(mode: Int) throws {
    let sandbox = try Sandbox()
    let text = try #require(sandbox.read("s.toml"))
    let remote = """
      [remotes.dav]
      sync = "plain-files"
      cloud = "webdav"
      [remotes.dav.webdav]
      url = "http://127.0.0.1:9/"
      user = "ann"

      """
    try sandbox.write(text + remote + "password = \"hunter2\"\n", to: "s.toml")
    #expect(try sandbox.syncd("settings", "check").status == 0)
    try Command(["chmod", String(mode, radix: 8), sandbox.path("s.toml")]).succeed()
    for words in [["settings", "check"], ["status"], ["--once"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 8 && outcome.err.contains("chmod 600"), "\(outcome.story)")
      #expect(!outcome.story.contains("hunter2"))
    }
    // A reference may be readable by other users.
    try sandbox.write(text + remote + "password = { env = \"DAV\" }\n", to: "s.toml")
    try Command(["chmod", String(mode, radix: 8), sandbox.path("s.toml")]).succeed()
    #expect(try sandbox.syncd("settings", "check").status == 0)
  }

  @Test("--settings overrides $SYNCD_SETTINGS, which overrides $XDG_CONFIG_HOME, which overrides ~/.config")
  func searchOrder() throws {
    let sandbox = try Sandbox()
    try sandbox.remove("s.toml")
    for place in ["named.toml", "variable.toml", "xdg/syncd/settings.toml", "home/.config/syncd/settings.toml"] {
      try sandbox.writeSettings(file: place)
    }
    func found(_ variables: [String: String], named words: [String] = []) throws -> String {
      var command = Command([Sandbox.binary, "settings", "check"] + words)
      command.environment.merge(variables) { $1 }
      return try command.run().text
    }
    let home = ["HOME": sandbox.path("home")]
    let xdg = home.merging(["XDG_CONFIG_HOME": sandbox.path("xdg")]) { $1 }
    let variable = xdg.merging(["SYNCD_SETTINGS": sandbox.path("variable.toml")]) { $1 }
    #expect(try found(variable, named: ["--settings", sandbox.path("named.toml")]).contains("named.toml"))
    #expect(try found(variable).contains("variable.toml"))
    #expect(try found(xdg).contains("xdg/syncd/settings.toml"))
    #expect(try found(home).contains("home/.config/syncd/settings.toml"))
    // A relative folder in an XDG variable must be ignored.
    #expect(try found(home.merging(["XDG_CONFIG_HOME": "xdg"]) { $1 }).contains("home/.config"))
  }

  @Test("relative paths are relative to the file; ~ and ${NAME} expand")
  func paths() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(
      """
      [syncd]
      state = "../state"
      [store]
      path = "~/notes"
      [remotes.far]
      cloud = "folder"
      [remotes.far.folder]
      path = "${FAR}/mirror"
      create = true
      """, to: "conf/s.toml")
    try sandbox.write(["me/notes/a.org": "* A\n", "far/there.txt": ""])
    var command = Command([Sandbox.binary, "--settings", "conf/s.toml", "--once"])
    command.environment.merge(["HOME": sandbox.path("me"), "FAR": sandbox.path("far")]) { $1 }
    command.folder = sandbox.root
    let outcome = try command.run()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("far/mirror/a.org") == "* A\n")
    #expect(FileManager.default.fileExists(atPath: sandbox.path("state")))
    command.environment["FAR"] = nil
    #expect(try command.run().status == 8)
  }

  @Test(
    "files that the program writes for itself must not be among the synced ones",
    arguments: ["audit-log", "metrics"], ["org/log.prom", "home/sub/log.prom"])
  func notesAmongFiles(key: String, place: String) throws {
    let sandbox = try Sandbox(settings: "\(key) = \"\(place)\"")
    let outcome = try sandbox.syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.err.contains("s.toml:3:"), "\(outcome.story)")
    #expect(outcome.err.contains("`\(key)` must not be inside"))
  }

  @Test(
    "the inbox must be a synced file of the store",
    arguments: ["../x.org", "", "dir/", "/abs.org", ".git/x.org", "a.org~", "x.syncd-1.tmp"])
  func inbox(name: String) throws {
    let sandbox = try Sandbox(store: "inbox = \"\(name)\"")
    let outcome = try sandbox.syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.err.contains("s.toml:7:"), "\(outcome.story)")
    #expect(outcome.err.contains("`inbox`"))
  }

  @Test("all mistakes are reported at once, with position and suggestion, and nothing is changed")
  func mistakes() throws {
    let sandbox = try Sandbox()
    try sandbox.write(
      """
      [syncd]
      stat = "x"
      interval = "5 parsecs"
      max-delete = "many"
      conflicts = "merg"
      [store]
      backend = "org-files"
      path = 5
      [remotes.home]
      sync = "plain-files"
      cloud = "foldr"
      [remotes.two]
      sync = "plain-files"
      cloud = "folder"
      [remotes.two.folder]
      pat = "x"
      """, to: "bad.toml")
    for words in [["--once"], ["--once", "--json"], ["settings", "check"], ["status"], ["--once", "--dry-run"]] {
      let outcome = try sandbox.command(words, settings: "bad.toml").run()
      #expect(outcome.status == 8)
      // The schema of the error document is tested with the others.
      #expect(outcome.out.isEmpty != words.contains("--json"), "\(outcome.story)")
      for (place, hint) in [
        ("2:1:", "(did you mean \"state\"?)"), ("3:12:", "duration"), ("4:14:", "percentage"),
        ("5:13:", "(did you mean \"merge\"?)"),
        ("8:8:", "expected a path"), ("11:9:", "(did you mean \"folder\"?)"),
        ("16:1:", "(did you mean \"path\"?)"),
      ] {
        let line = outcome.err.split(separator: "\n").first { $0.hasPrefix(sandbox.path("bad.toml") + ":" + place) }
        #expect(line?.contains(hint) == true, "\(place) \(hint)\n\(outcome.err)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
  }

  @Test(
    "invalid settings are refused with exit status 8 before anything is changed",
    arguments: [
      ("no TOML", "[store\n"), ("no store", "[syncd]\nstate = \"state\"\n"),
      ("a doubled key", "[store]\npath = \"org\"\npath = \"org\"\n"),
      ("a remote without a cloud", "[store]\npath = \"org\"\n[remotes.a]\nsync = \"plain-files\"\n"),
      ("a remote without an address", "[store]\npath = \"org\"\n[remotes.a]\ncloud = \"folder\"\n"),
      (
        "a bad name",
        "[store]\npath = \"org\"\n[remotes.\"a b\"]\ncloud = \"folder\"\n[remotes.\"a b\".folder]\npath = \"x\"\n"
      ),
      (
        "encryption without a cipher",
        "[store]\npath = \"org\"\n[remotes.a]\ncloud = \"folder\"\nencryption = \"nonesuch\"\n[remotes.a.folder]\npath = \"x\"\n"
      ),
      (
        "a table of another module",
        "[store]\npath = \"org\"\n[remotes.a]\ncloud = \"folder\"\n[remotes.a.folder]\npath = \"x\"\n[remotes.a.webdav]\nurl = \"x\"\n"
      ),
    ])
  func refused(what: String, text: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(text, to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 8, "\(what)\n\(outcome.story)")
    #expect(outcome.err.hasPrefix(sandbox.path("s.toml") + ":"), "\(what)\n\(outcome.story)")
    #expect(outcome.out.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root).sorted() == ["org", "s.toml"])
  }

  @Test("a missing settings file ends with status 8, and the error names the command that creates one")
  func missing() throws {
    let outcome = try Command([Sandbox.binary, "--settings", "/nonexistent/s.toml", "--once"]).run()
    #expect(outcome.status == 8)
    #expect(outcome.err.contains("/nonexistent/s.toml") && outcome.err.contains("syncd init"))
  }

  @Test("check, show, schema and template print to standard output, and the template is valid")
  func description() throws {
    let sandbox = try Sandbox()
    #expect(try sandbox.syncd("settings", "check").text.contains("no mistakes"))
    let shown = try sandbox.syncd("settings", "show")
    #expect(shown.status == 0 && shown.text.contains("max-delete") && shown.text.contains(sandbox.path("home")))
    #expect(try JSONSerialization.jsonObject(with: sandbox.syncd("settings", "show", "--json").out) is [String: Any])
    let schema = try JSONSerialization.jsonObject(with: sandbox.syncd("settings", "schema").out) as? [String: Any]
    #expect(schema?["properties"] != nil)
    let template = try sandbox.syncd("settings", "template")
    #expect(template.status == 0)
    for key in [
      "state", "interval", "quiet", "max-delay", "max-delete", "history", "conflicts", "log-level", "include",
      "exclude", "encryption",
    ] {
      #expect(template.text.contains(key), "\(key)")
    }
    // They need no settings file.
    #expect(try Command([Sandbox.binary, "settings", "schema"]).run().status == 0)
    #expect(try Command([Sandbox.binary, "settings", "template"]).run().status == 0)
  }
}
