import Foundation
import ProgramTesting
import Testing

/// `syncd remote` with the real program.
@Suite("Managing remotes") struct RemoteCommandTests {
  private static let settings = """
    # My settings.

    [syncd]
    state = "state" # here

    [store]
    path = "org"

    # The stick.
    [remotes.usb] # blue
    sync = "plain-files"
    cloud = "folder"

    [remotes.usb.folder]
    path = "usb" # on the stick
    create = true

    # For later.

    """

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(Self.settings, to: "s.toml")
    return sandbox
  }

  @Test("remotes are added, changed, renamed and removed, and everything else in the file stays")
  func cycle() throws {
    let sandbox = try sandbox()
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("link.toml"), withDestinationPath: "s.toml")
    func syncd(_ words: String...) throws -> Outcome {
      let outcome = try sandbox.command(["remote"] + words, settings: "link.toml").run()
      #expect(outcome.status == 0, "\(outcome.story)")
      return outcome
    }
    _ = try syncd("add", "nas", "--folder", sandbox.path("nas"))
    #expect(FileManager.default.fileExists(atPath: sandbox.path("nas")))
    #expect(sandbox.read("s.toml")?.hasPrefix(Self.settings + "\n[remotes.nas]\n") == true)
    _ = try syncd("edit", "nas", "--set", "mode=send", "--set", "exclude=*.pdf *.jpg", "--set", "folder.create=true")
    _ = try syncd("edit", "usb", "--set", "mode=receive")
    _ = try syncd("edit", "usb", "--unset", "mode")
    _ = try syncd("rename", "nas", "attic")
    let list = try syncd("list").text
    #expect(list == "usb    folder  \(sandbox.path("usb"))\nattic  folder  \(sandbox.path("nas"))  mode send\n")
    let text = try #require(sandbox.read("s.toml"))
    for line in ["[remotes.attic]", "[remotes.attic.folder]", "exclude = [\"*.pdf\", \"*.jpg\"]", "create = true"] {
      #expect(text.contains("\n\(line)\n"), "\(text)")
    }
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    #expect(sandbox.read("nas/a.org") == "* A\n")
    _ = try syncd("remove", "attic")
    #expect(sandbox.read("s.toml") == Self.settings)
    #expect(sandbox.read("nas/a.org") == "* A\n")
    #expect(try Command(["stat", "-c", "%a %F", sandbox.path("s.toml")]).run().text == "600 regular file\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: sandbox.path("link.toml")) == "s.toml")
  }

  @Test(
    "a mistake changes nothing and says what to do",
    arguments: [
      (["add", "usb", "--folder", "x"], "syncd remote edit usb"), (["add", "a b", "--folder", "x"], "letters, digits"),
      (["add", "two", "--with", "fodler"], "did you mean \"folder\"?"),
      (["add", "two", "--with", "folder"], "--set path"),
      (["add", "two", "--folder", "org/in"], "must not contain each other"), (["edit", "usb"], "--set KEY=VALUE"),
      (["edit", "usb", "--set", "mode"], "KEY=VALUE"),
      (["edit", "usb", "--set", "mdoe=send"], "did you mean \"mode\"?"),
      (["edit", "usb", "--set", "mode=sned"], "did you mean \"send\"?"),
      (["edit", "usb", "--unset", "mode"], "default"),
      (["edit", "usb", "--set", "create=maybe"], "cannot change usb"),
      (["edit", "usb", "--set", "encryption=age", "--set", "age.passphrase=secret"], "file:PATH"),
      (["edit", "ubs", "--set", "mode=send"], "did you mean \"usb\"?"), (["rename", "usb", "usb"], "already"),
      (["rename", "ub", "x"], "did you mean \"usb\"?"), (["remove", "uusb"], "did you mean \"usb\"?"),
      (["remvoe", "usb"], "did you mean \"remote remove\"?"),
    ])
  func mistakes(words: [String], hint: String) throws {
    let sandbox = try sandbox()
    var command = sandbox.command(["remote"] + words)
    command.folder = sandbox.root
    let outcome = try command.run()
    #expect([2, 8].contains(outcome.status) && outcome.err.contains(hint), "\(outcome.story)")
    #expect(sandbox.read("s.toml") == Self.settings)
  }

  @Test("settings in braces are refused, and an invalid file is not edited")
  func braces() throws {
    let sandbox = try Sandbox(remotes: [])
    for text in [
      "remotes = { usb = { sync = \"plain-files\", cloud = \"folder\", folder = { path = \"usb\" } } }\n[store]\npath = \"org\"\n",
      "[store]\npath = \"org\"\n[remotes.usb]\nsync = \n",
    ] {
      try sandbox.write(text, to: "s.toml")
      for words in [["remove", "usb"], ["rename", "usb", "b"], ["edit", "usb", "--set", "mode=send"]] {
        let outcome = try sandbox.command(["remote"] + words).run()
        #expect(outcome.status == 8 && outcome.err.contains("s.toml"), "\(outcome.story)")
        #expect(sandbox.read("s.toml") == text)
      }
    }
  }
}
