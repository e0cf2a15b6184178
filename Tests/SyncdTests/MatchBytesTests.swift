import Foundation
import ProgramTesting
import Testing

/// Every byte that the real program writes to a remote with `match`: files, temporary files, and objects of a git repository that no
/// branch has any longer.
@Suite struct MatchBytesTests {
  /// A word in each line and name that must not leave, and one in lines that may.
  private static let secret = "Secretcanary"
  private static let open = "Opencanary"

  private static let notes = """
    #+TITLE: \(secret)
    * Shopping :mobile:
    \(open) list
    ** Gift for \(secret) :private:
    \(secret) price
    ** Milk
    * Diary
    \(secret) talk
    ** Call \(secret)

    """

  /// What the person at home and the one at the remote do, one pass each. The first file is the shared one.
  private static let edits: [(file: String, find: String, replace: String)] = [
    ("org/notes.org", "** Milk\n", "** Milk\n*** \(secret) brand :private:\n\(secret) shop\n"),
    ("home/notes.org", "** Milk\n", "** DONE Milk\n** Bread\n\(open) rye\n"),
    ("org/notes.org", "** Bread\n", "** Bread :private:\n\(secret) bakery\n"),
    ("home/notes.org", "* Shopping :mobile:\n", "\(open) above\n* Shopping :mobile:\n"),
    ("org/notes.org", "* Diary\n", "* Diary :Private:\n\(secret) evening\n** Garden :mobile:\n\(secret) trees\n"),
    ("home/notes.org", "** DONE Milk\n", ""),
    ("org/notes.org", "* Shopping :mobile:\n", "* Shopping\n\(secret) budget\n"),
    ("org/notes.org", "* Shopping\n\(secret) budget\n", "* Shopping :mobile:\n\(open) budget\n"),
    ("org/notes.org", "#+TITLE: \(secret)\n", "#+TITLE: \(secret)\n#+FILETAGS: :private:\n"),
  ]

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    try sandbox.write(
      """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.home]
      sync = "plain-files"
      cloud = "folder"
      match = "+mobile-private"
      [remotes.home.folder]
      path = "home"
      create = true
      [remotes.hub]
      sync = "git"
      match = "+mobile-private"
      [remotes.hub.git]
      url = "hub.git"

      """, to: "s.toml")
    try sandbox.shell("git init -q --bare -b main hub.git")
    try sandbox.write([
      "org/notes.org": Self.notes, "org/\(Self.secret).org": "* \(Self.secret)\n", "org/keep.org": "* Keep :mobile:\n",
      "org/\(Self.secret).jpg": Self.secret,
    ])
    return sandbox
  }

  @Test("no private byte is ever written to a folder or a git repository, not even to a file that is removed later")
  func everyByte() throws {
    guard try Strace.isUsable() else { return }
    let sandbox = try sandbox()
    var places = try run(sandbox)
    for edit in Self.edits {
      try make(edit, in: sandbox)
      places.secret.formUnion(try run(sandbox).secret)
    }
    // The words are found where they must be; the state is compressed.
    #expect(places.open.contains { $0.hasPrefix(sandbox.path("home/")) }, "\(places.open)")
    #expect(places.secret.contains { $0.hasPrefix(sandbox.path("org/")) }, "\(places.secret)")
    for remote in ["home", "hub.git"] {
      #expect(!places.secret.contains { $0.contains(sandbox.path(remote)) }, "\(places.secret)")
    }
    #expect(sandbox.tree("home").names == ["keep.org"])
    try lookIntoRepository(of: sandbox)
  }

  private func make(_ edit: (file: String, find: String, replace: String), in sandbox: Sandbox) throws {
    let text = try #require(sandbox.read(edit.file), "\(edit)")
    #expect(text.contains(edit.find), "\(edit): \(text)")
    try sandbox.write(text.replacing(edit.find, with: edit.replace), to: edit.file)
  }

  /// Runs passes until both remotes have the edit; returns where the words were written.
  private func run(_ sandbox: Sandbox) throws -> (secret: Set<String>, open: Set<String>) {
    var places: (secret: Set<String>, open: Set<String>) = ([], [])
    for _ in 0..<2 {
      let (outcome, strace) = try Strace.watch(sandbox.command(["--once"]), in: sandbox)
      #expect(outcome.status == 0, "\(outcome.story)")
      places.secret.formUnion(strace.places(of: Self.secret))
      places.open.formUnion(strace.places(of: Self.open))
    }
    return places
  }

  /// Searches every object of the repository, also those without a name; trees have the names of files.
  private func lookIntoRepository(of sandbox: Sandbox) throws {
    try sandbox.shell("git -C hub.git cat-file --batch-all-objects --batch >objects; find hub.git home >names")
    let objects = try #require(FileManager.default.contents(atPath: sandbox.path("objects")))
    #expect(objects.range(of: Data("\(Self.open) budget".utf8)) != nil)
    #expect(objects.range(of: Data("notes.org".utf8)) != nil)
    #expect(objects.range(of: Data(Self.secret.utf8)) == nil)
    #expect(!(try #require(sandbox.read("names"))).contains(Self.secret))
  }
}
