import Foundation
import ProgramTesting
import Testing

/// `syncd merge-file`: git's contract for merge drivers.
@Suite struct MergeFileTests {
  private let base = "* TODO A\nbody\n* B\ntext\n"
  private let ours = "* DONE A\nbody\n* B\ntext\n"
  private let theirs = "* TODO A\nbody\n* B\nother text\n"
  private let clash = "* WAITING A\nbody\n* B\ntext\n"

  private func talk(_ word: String) -> String { "* Conference\n** TODO Draft the \(word)\nForty minutes.\n** Room\n" }

  private func merge(
    _ theirs: String, _ options: String..., base: String? = nil, ours: String? = nil, ending: String = "org"
  ) throws -> (outcome: Outcome, ours: String?) {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write([
      "base.\(ending)": base ?? self.base, "ours.\(ending)": ours ?? self.ours, "theirs.\(ending)": theirs,
    ])
    let files = ["base", "ours", "theirs"].map { sandbox.path("\($0).\(ending)") }
    let outcome = try Command([Sandbox.binary, "merge-file"] + files + options).run()
    return (outcome, sandbox.read("ours.\(ending)"))
  }

  @Test("a merge without conflicts ends with status 0 and replaces OURS")
  func clean() throws {
    let (outcome, ours) = try merge(theirs)
    #expect(outcome.status == 0 && outcome.out.isEmpty && outcome.err.isEmpty)
    #expect(ours == "* DONE A\nbody\n* B\nother text\n")
  }

  @Test("a conflict ends with status 1, and OURS has both versions as valid Org under the tag CONFLICT")
  func conflict() throws {
    let (outcome, merged) = try merge("* TODO A\nbody\n* B\nyours\n", ours: "* TODO A\nbody\n* B\nmine\n")
    if outcome.status == 1 { #expect(merged?.contains(":CONFLICT:") == true) }
    #expect(merged?.contains("mine") == true && merged?.contains("yours") == true)
    let (other, text) = try merge(talk("workshop"), base: talk("talk"), ours: talk("keynote"))
    #expect(other.status == 1, "\(other.story)")
    #expect(
      text?.contains("workshop") == true && text?.contains("keynote") == true && text?.contains(":CONFLICT:") == true)
  }

  @Test("--conflict-markers writes git's markers")
  func markers() throws {
    let (outcome, text) = try merge(talk("workshop"), "--conflict-markers", base: talk("talk"), ours: talk("keynote"))
    #expect(outcome.status == 1)
    for mark in ["<<<<<<< ", "=======", ">>>>>>> "] {
      #expect(text?.contains("\n" + mark) == true || text?.hasPrefix(mark) == true)
    }
    #expect(text?.contains(":CONFLICT:") == false)
  }

  @Test("--stdout prints the result and leaves OURS unchanged")
  func standardOutput() throws {
    let (outcome, text) = try merge(theirs, "--stdout")
    #expect(outcome.status == 0 && text == ours)
    #expect(outcome.text == "* DONE A\nbody\n* B\nother text\n")
  }

  @Test("--path decides the kind of file, and other files are merged by lines")
  func path() throws {
    let (outcome, text) = try merge(
      "one\ntwo\nTHREE\n", "--path", "notes.txt", base: "one\ntwo\nthree\n", ours: "ONE\ntwo\nthree\n")
    #expect(outcome.status == 0 && text == "ONE\ntwo\nTHREE\n")
    let (marked, lines) = try merge("yours\n", "--path", "notes.txt", base: "one\n", ours: "mine\n", ending: "x")
    #expect(marked.status == 1 && lines?.contains("<<<<<<<") == true)
  }

  @Test("a missing file or text with NUL bytes ends with status 2 and leaves OURS unchanged")
  func trouble() throws {
    #expect(
      try Command([Sandbox.binary, "merge-file", "/nonexistent", "/nonexistent", "/nonexistent"]).run().status == 2)
    let (outcome, text) = try merge("* A\u{0}\nyours\n", base: "* A\u{0}\n", ours: "* A\u{0}\nmine\n")
    #expect(outcome.status == 2 && text == "* A\u{0}\nmine\n")
  }

  @Test(
    "a binary file ends with status 2 and is unchanged, whatever its --path", arguments: ["p.png", "a.org"])
  func binary(path: String) throws {
    let (outcome, ours) = try merge("\u{0}b\n", "--path", path, base: "\u{0}\n", ours: "\u{0}a\n", ending: "x")
    #expect(outcome.status == 2 && outcome.err.contains("not text") && ours == "\u{0}a\n", "\(outcome.story)")
    let (settled, taken) = try merge("\u{0}b\n", "--path", path, base: "\u{0}\n", ours: "\u{0}\n", ending: "x")
    #expect(settled.status == 0 && taken == "\u{0}b\n", "\(settled.story)")
  }

  @Test("OURS keeps its mode, and remains a link if it is one")
  func modeAndLink() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(["base": base, "real/ours": ours, "theirs": theirs])
    try Command(["chmod", "600", sandbox.path("real/ours")]).succeed()
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("ours"), withDestinationPath: "real/ours")
    let files = ["base", "ours", "theirs"].map { sandbox.path($0) }
    try Command([Sandbox.binary, "merge-file"] + files).succeed()
    #expect(sandbox.read("real/ours") == "* DONE A\nbody\n* B\nother text\n")
    #expect(
      try Command(["stat", "-c", "%F %a", files[1], sandbox.path("real/ours")]).run().text
        == "symbolic link 777\nregular file 600\n")
  }

  @Test("BASE may be /dev/null, as for a file that both sides added")
  func noBase() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write(["ours.org": "* A\n", "theirs.org": "* A\n* B\n"])
    let files = ["/dev/null"] + ["ours.org", "theirs.org"].map { sandbox.path($0) }
    try Command([Sandbox.binary, "merge-file"] + files).succeed()
    #expect(sandbox.read("ours.org") == "* A\n* B\n")
  }

  @Test("git can call it as a merge driver")
  func git() throws {
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write("* TODO A\nbody\n* B\ntext\n", to: "repo/n.org")
    try sandbox.write("*.org merge=org\n", to: "repo/.gitattributes")
    let script = """
      set -e; cd '\(sandbox.path("repo"))'; git init -q -b main .; git config user.email a@b; git config user.name n
      git config merge.org.driver '"\(Sandbox.binary)" merge-file %O %A %B --path %P'
      git add .; git commit -qm base; git checkout -qb side; printf '* DONE A\\nbody\\n* B\\ntext\\n' >n.org; git commit -qam side
      git checkout -q main; printf '* TODO A\\nbody\\nmore\\n* B\\ntext\\n' >n.org; git commit -qam main; git merge -q side -m merged
      """
    var command = Command(["bash", "-c", script])
    command.environment["HOME"] = sandbox.root
    let outcome = try command.run()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(sandbox.read("repo/n.org") == "* DONE A\nbody\nmore\n* B\ntext\n")
  }
}
