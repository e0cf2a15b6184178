import Foundation
import ProgramTesting
import SyncKit
import Testing

/// The real program with a git repository as a remote.
@Suite("A git repository as a remote") struct GitTests {
  private static let parts = 0..<2

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.hub]
      sync = "git"
      [remotes.hub.git]
      url = "hub.git"
      author = "Ann <ann@example.org>"
      """
    try sandbox.write(settings, to: "s.toml")
    try sandbox.shell("git init -q --bare -b main hub.git")
    return sandbox
  }

  private func git(_ sandbox: Sandbox, _ words: String) throws -> String {
    var command = Command(["sh", "-c", "git -c user.name=Hand -c user.email=hand@example.org \(words)"])
    command.folder = sandbox.root
    let outcome = try command.run()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    return outcome.text
  }

  @Test("the repository is synced, listed and checked by `doctor`, and its settings are validated")
  func commands() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    #expect(try sandbox.once().result == "synced")
    #expect(try git(sandbox, "-C hub.git log --format='%an: %s' main") == "Ann: Add a.org\n")
    let doctor = try sandbox.syncd("doctor", "hub")
    #expect(doctor.text.contains("the branch main of") && doctor.text.contains("holds 1 file\n"), "\(doctor.story)")
    #expect(try sandbox.syncd("backends", "git").text.contains("accept"))
    let before = try git(sandbox, "-C hub.git rev-parse main")
    #expect(try sandbox.once().result == "synced")
    #expect(try git(sandbox, "-C hub.git rev-parse main") == before)
    let text = try #require(sandbox.read("s.toml"))
    for (line, word) in [
      ("url = \"https://ann:secret@host/a\"", "without a password"), ("url = \"hub.git\"\nauthor = \"Ann\"", "author"),
      ("url = \"hub.git\"\nbranch = \"a..b\"", "branch"),
    ] {
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("url") && !$0.hasPrefix("author") }
      try sandbox.write(lines.joined(separator: "\n") + "\n" + line + "\n", to: "bad.toml")
      let outcome = try sandbox.syncd("--once", settings: "bad.toml")
      #expect(outcome.status == 8 && outcome.err.contains(word) && !outcome.err.contains("secret"), "\(outcome.story)")
    }
  }

  @Test("a store that is a repository keeps one history with the remote, pushed before or joined after the first sync")
  func storeWithHistory() throws {
    for isPushedFirst in [true, false] {
      let sandbox = try sandbox()
      _ = try git(sandbox, "init -q -b main org")
      try sandbox.write("* A\n", to: "org/a.org")
      _ = try git(sandbox, "-C org add a.org")
      _ = try git(sandbox, "-C org commit -q -m Mine")
      let word =
        "if the store is a git work tree, run `git push \(sandbox.path("hub.git")) main` there before the first sync"
      #expect(try sandbox.syncd("doctor").text.contains(word))
      if isPushedFirst { _ = try git(sandbox, "-C org push -q ../hub.git main") }
      try sandbox.once()
      if !isPushedFirst {
        #expect(throws: TestFailure.self) { try git(sandbox, "-C org pull -q ../hub.git main") }
        _ = try git(sandbox, "-C org pull -q --no-rebase --no-edit --allow-unrelated-histories ../hub.git main")
        _ = try git(sandbox, "-C org push -q ../hub.git main")
      }
      try sandbox.write("* A\nedited\n", to: "org/a.org")
      try sandbox.once()
      #expect(try git(sandbox, "-C hub.git log --format=%s main").contains("Mine"))
      #expect(try !sandbox.syncd("doctor").text.contains(word))
      _ = try git(sandbox, "-C org commit -q -a -m Edit")
      _ = try git(sandbox, "-C org pull -q --no-rebase --no-edit ../hub.git main")
      #expect(sandbox.read("org/a.org") == "* A\nedited\n")
      #expect(try git(sandbox, "-C hub.git cat-file blob main:a.org") == "* A\nedited\n")
    }
  }

  @Test("a dry run writes nothing, and `status` says why nothing is done while git is busy in the store")
  func dryRunAndWorkTree() throws {
    let sandbox = try sandbox()
    _ = try git(sandbox, "init -q -b main org")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\nedited\n", to: "org/a.org")
    let before = try sandbox.fingerprint()
    let plan = try sandbox.syncd("--once", "--dry-run")
    #expect(plan.status == 10 && plan.text.contains("a.org"), "\(plan.story)")
    #expect(try sandbox.fingerprint() == before)
    try sandbox.write("", to: "org/.git/MERGE_HEAD")
    let busy = try sandbox.syncd("--once")
    #expect(busy.status == 5 && (busy.text + busy.err).contains("a merge is in progress"), "\(busy.story)")
    #expect(try sandbox.syncd("status").text.contains("a merge is in progress"))
    try sandbox.remove("org/.git/MERGE_HEAD")
    try sandbox.once()
    #expect(try git(sandbox, "-C hub.git cat-file blob main:a.org") == "* A\nedited\n")
  }

  private func reset(_ sandbox: Sandbox) throws {
    try sandbox.shell(
      "rm -rf state hub.git && find org -mindepth 1 -delete && cp -a prepared/org/. org/ && cp -a prepared/state prepared/hub.git ."
    )
  }

  @Test("kill -9 at any step loses nothing, leaves no lock, and keeps the repository intact", arguments: parts)
  func kill(part: Int) throws {
    let sandbox = try sandbox()
    try KillSweep.agree(sandbox)
    try sandbox.once()
    _ = try git(sandbox, "clone -q hub.git hand")
    try KillSweep.edit(far: "hand", sandbox)
    _ = try git(sandbox, "-C hand add -A")
    _ = try git(sandbox, "-C hand commit -q -m 'By hand'")
    _ = try git(sandbox, "-C hand push -q origin HEAD")
    try KillSweep.editStore(sandbox)
    try sandbox.shell("rm -rf hand; mkdir prepared; cp -a org state hub.git prepared/")
    let sweep = KillSweep(sandbox: sandbox) { try reset(sandbox) }
    try sweep.run(part: part, of: Self.parts.count, sample: 24) { expected, comment in
      try expectSound(sandbox, expected, comment)
    }
  }

  private func expectSound(_ sandbox: Sandbox, _ expected: Tree, _ comment: String) throws {
    #expect(try !git(sandbox, "-C hub.git fsck --strict --no-dangling 2>&1").contains("error"), "\(comment)")
    _ = try git(sandbox, "clone -q hub.git check")
    let names = Set(sandbox.tree("check").files.keys.filter { !$0.hasPrefix(".git/") })
    #expect(names == Set(expected.files.keys), "\(comment)")
    for (name, bytes) in expected.files { #expect(sandbox.tree("check").files[name] == bytes, "\(comment)") }
    try sandbox.shell("rm -rf check")
    let litter = (sandbox.tree("hub.git").names + sandbox.tree("state/cache").names).filter {
      $0.hasSuffix(".lock") || $0.contains("tmp_") || $0.contains("incoming")
    }
    #expect(litter.isEmpty, "\(comment): \(litter)")
  }
}
