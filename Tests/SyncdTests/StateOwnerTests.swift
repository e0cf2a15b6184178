import Foundation
import ProgramTesting
import Testing

/// The state folder belongs to one store.
@Suite("The owner of a state folder") struct StateOwnerTests {
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    return sandbox
  }

  @Test("commands of all kinds refuse a state folder of another store")
  func otherStore() throws {
    let sandbox = try sandbox()
    try sandbox.writeSettings(storePath: "notes", file: "two.toml")
    try sandbox.write("* N\n", to: "notes/n.org")
    for words in [["--once"], ["--once", "--dry-run"], ["status"], ["log"], ["capture", "Milk"], []] {
      let outcome = try sandbox.command(words, settings: "two.toml").run()
      #expect(outcome.status == 8, "\(outcome.story)")
      for part in [sandbox.path("org"), sandbox.path("notes"), sandbox.path("s.toml"), "`state` in [syncd]"] {
        #expect(outcome.err.contains(part), "\(outcome.story)")
      }
    }
    #expect(sandbox.tree("notes").files.count == 1)
    try sandbox.writeSettings(state: "state2", storePath: "notes", file: "two.toml")
    try sandbox.once(settings: "two.toml")
    try sandbox.once()
  }

  @Test("a moved store, moved settings and a second settings file of the same store keep the state folder")
  func sameStore() throws {
    let sandbox = try sandbox()
    try sandbox.writeSettings(file: "two.toml")
    try sandbox.once(settings: "two.toml")
    try sandbox.move("org", "notes")
    try sandbox.writeSettings(storePath: "notes")
    try sandbox.once()
    try sandbox.move("notes", "again/notes")
    try sandbox.move("s.toml", "moved.toml")
    try sandbox.writeSettings(storePath: "again/notes", file: "moved.toml")
    try sandbox.once(settings: "moved.toml")
    #expect(sandbox.read("again/notes/a.org") == "* A\n" && sandbox.read("home/a.org") == "* A\n")
  }

  @Test("a copy of everything works, and so does the original")
  func copy() throws {
    let sandbox = try sandbox()
    let copy = try Sandbox(copyOf: sandbox)
    try copy.once()
    try sandbox.once()
    try copy.once()
  }

  @Test(
    "a state folder that cannot be read is an error, not one in which nothing was saved yet",
    arguments: ["a file", "a loop of links", "a database behind a loop"])
  func unreadable(form: String) throws {
    let sandbox = try sandbox()
    let place = form == "a database behind a loop" ? "state/archive.sqlite" : "state"
    try sandbox.move(place, "kept")
    if form == "a file" {
      try sandbox.write("text", to: place)
    } else {
      try Command(["ln", "-s", sandbox.path(place), sandbox.path(place)]).succeed()
    }
    for words in [["status"], ["doctor"], ["log"], ["deleted"], ["--once", "--dry-run"], ["--once"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 8, "\(words) \(outcome.story)")
      #expect(outcome.err.contains("cannot use the state folder: "), "\(outcome.story)")
      #expect(outcome.err.contains("check its permissions, or set `state`"), "\(outcome.story)")
    }
  }

  #if os(Linux)
    @Test("two settings files get two services, each installed, replaced and removed separately")
    func services() throws {
      let sandbox = try Sandbox()
      try sandbox.writeSettings(state: "state2", storePath: "notes", file: "work/settings.toml")
      let environment = ["HOME": sandbox.path("me"), "XDG_CONFIG_HOME": ""]
      func service(_ word: String, _ settings: String, _ status: Int32 = 0) throws -> String {
        let outcome = try sandbox.command(["service", word], environment: environment, settings: settings).run()
        #expect(outcome.status == status, "\(outcome.story)")
        return outcome.text
      }
      var units: [String] { sandbox.tree("me/.config/systemd/user").names.sorted() }
      for _ in 0..<2 {
        #expect(try service("install", "s.toml").contains("enable --now syncd\n"))
        #expect(try service("install", "work/settings.toml").contains("enable --now syncd-work\n"))
        #expect(units == ["syncd-work.service", "syncd.service"])
      }
      #expect(sandbox.read("me/.config/systemd/user/syncd.service")?.contains(sandbox.path("s.toml")) == true)
      #expect(sandbox.read("me/.config/systemd/user/syncd-work.service")?.contains(sandbox.path("work/")) == true)
      _ = try service("uninstall", "s.toml")
      _ = try service("uninstall", "s.toml", 4)
      _ = try service("install", "work/settings.toml")
      #expect(units == ["syncd-work.service"])
      _ = try service("uninstall", "work/settings.toml")
      #expect(units.isEmpty)
    }

    /// The commands of units that people and packages write; PROGRAM and FILE stand for the paths.
    static let commands = [
      "ExecStart=PROGRAM --settings FILE", "ExecStart=/usr/bin/syncd --settings=FILE -v",
      "ExecStart=-\"/opt/my programs/syncd\" --settings \"FILE\"", "ExecStart=syncd \\\n  --settings %h/link.toml",
      "Environment=A=b 'SYNCD_SETTINGS=FILE'\nExecStart=/usr/bin/syncd", "ExecStart=syncd --settings ../s.toml",
    ]

    @Test("a settings file that a unit with another name uses gets no second service", arguments: commands)
    func otherName(command: String) throws {
      let sandbox = try Sandbox()
      try sandbox.write("", to: "me/x")
      try sandbox.shell("ln -s ../s.toml me/link.toml; cp s.toml other.toml")
      let unit = command.replacing("PROGRAM", with: Sandbox.binary).replacing("FILE", with: sandbox.path("s.toml"))
      let mine = "[Service]\n\(unit)\n"
      try sandbox.write(mine, to: "me/.config/systemd/user/notes.service")
      let environment = ["HOME": sandbox.path("me"), "XDG_CONFIG_HOME": ""]
      func install(_ settings: String) throws -> Outcome {
        try sandbox.command(["service", "install"], environment: environment, settings: settings).run()
      }
      let refused = try install("s.toml")
      #expect(
        refused.status == 4 && refused.err.contains("user/notes.service runs syncd with the same"), "\(refused.story)")
      #expect(sandbox.tree("me/.config/systemd/user").names == ["notes.service"])
      #expect(sandbox.read("me/.config/systemd/user/notes.service") == mine)
      // Another settings file has a service of its own.
      let other = try install("other.toml")
      #expect(other.status == 0, "\(other.story)")
      #expect(sandbox.tree("me/.config/systemd/user").names == ["notes.service", "syncd.service"])
    }

    @Test("the service of the default settings file is found however the file is named")
    func defaultSettings() throws {
      let sandbox = try Sandbox()
      try sandbox.shell("mkdir -p me/.config/syncd")
      try sandbox.writeSettings(state: "state", storePath: "org", file: "me/.config/syncd/settings.toml")
      let environment = ["HOME": sandbox.path("me"), "XDG_CONFIG_HOME": ""]
      var plain = Command([Sandbox.binary, "service", "install"])
      plain.environment.merge(environment) { $1 }
      #expect(try plain.run().status == 0)
      for _ in 0..<2 {
        let named = try sandbox.command(
          ["service", "install"], environment: environment, settings: "me/.config/syncd/settings.toml"
        ).run()
        #expect(named.status == 0, "\(named.story)")
        #expect(sandbox.tree("me/.config/systemd/user").names == ["syncd.service"])
      }
    }

    @Test("an agent for launchd has the label of its own service")
    func agents() throws {
      let sandbox = try Sandbox()
      let environment = ["HOME": sandbox.path("me")]
      func plist(_ settings: String) throws -> String {
        try sandbox.command(["service", "print", "--for", "launchd"], environment: environment, settings: settings)
          .run().text
      }
      try sandbox.write(try plist("s.toml"), to: "me/Library/LaunchAgents/org.syncd.agent.plist")
      #expect(try plist("s.toml").contains("<string>org.syncd.agent</string>"))
      #expect(try plist("work.toml").contains("<string>org.syncd.agent.work</string>"))
      #expect(try plist("work.toml").contains("Logs/syncd-work.log"))
    }
  #endif
}
