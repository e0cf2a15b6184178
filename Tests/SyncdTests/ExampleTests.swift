import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs the commands that README and `docs/` show, and compares their output with the shown one.
@Suite("Examples of the documents as tests") struct ExampleTests {
  /// A shell that runs an example, with `syncd` as a command and the settings of the sandbox.
  private func shell(
    _ script: String, in sandbox: Sandbox, at folder: String = "", environment: [String: String] = [:]
  ) throws -> Command {
    let program = URL(filePath: Sandbox.binary).deletingLastPathComponent().path
    let path = program + ":" + (Command.environment["PATH"] ?? "")
    var command = Command(["sh", "-c", script])
    command.folder = sandbox.path(folder)
    command.environment.merge(
      ["PATH": path, "SYNCD_SETTINGS": sandbox.path("s.toml"), "HOME": sandbox.path("person")]
    ) { $1 }
    command.environment.merge(environment) { $1 }
    try FileManager.default.createDirectory(atPath: sandbox.path("person"), withIntermediateDirectories: true)
    return command
  }

  private func isThere(_ program: String) throws -> Bool {
    let isThere = try Command(["sh", "-c", "command -v \(program)"]).run().status == 0
    if !isThere { skip("\(program) is not installed") }
    return isThere
  }

  @Test("README: the output of a run")
  func run() throws {
    let lines = try Documents.example("README.md", with: "$ syncd").split(separator: "\n", maxSplits: 1)
    let sandbox = try Sandbox()
    let garden = (0..<60).map { "* Bed \($0)\nNothing grows here yet, and nothing will before May.\n" }
    try sandbox.write(garden.joined(), to: "org/garden.org")
    try sandbox.once()
    try sandbox.write((["* Beans\n"] + garden).joined(), to: "org/garden.org")
    try sandbox.write((garden + ["* Peas\n"]).joined(), to: "home/garden.org")
    try sandbox.write("* Sunday\n", to: "org/journal/2026-11-21.org")
    let outcome = try shell(String(lines[0].dropFirst(2)), in: sandbox).succeed()
    #expect(Self.withoutFigures(outcome.text) == Self.withoutFigures(String(lines[1])))
  }

  private static func withoutFigures(_ text: String) -> String {
    text.replacing(/[0-9.]+ (B|KiB|ms|s)\b/, with: "N")
  }

  @Test("README: the commands of the table")
  func table() throws {
    let sandbox = try Sandbox(settings: "conflicts = \"merge\"")
    try sandbox.write("* Fence\n* Beds\n** TODO Beans\n", to: "org/garden.org")
    for number in 0..<8 { try sandbox.write("* \(number)\n", to: "org/bed\(number).org") }
    let pass = try sandbox.once().pass
    try sandbox.write("* Wooden fence\n* Beds\n** TODO Beans\n", to: "org/garden.org")
    try sandbox.write("* Iron fence\n* Beds\n** TODO Beans\n", to: "home/garden.org")
    for number in 0..<8 { try sandbox.remove("org/bed\(number).org") }
    _ = try sandbox.syncd("--once")
    let status = try sandbox.syncd("status", "--json").json(Status.self)
    let held = try #require(status.remotes[0].held?.id)
    try sandbox.write("* Beans of all kinds\n", to: "merged.org")
    let rows = try Documents.text("README.md").matches(of: /(?m)^\| .* \| (`syncd .*) \|$/).map { String($0.1) }
    var count = 0
    for row in rows {
      for example in row.matches(of: /`syncd ([^`]+)`/).map({ String($0.1) })
      // Held deletions are approved here; denying them has separate tests.
      where example != "merge-file" && example != "deny ID" {
        let words = example.replacing("12", with: "\(pass)").replacing("ID", with: held)
          .replacing("FILE", with: "'\(sandbox.path("merged.org"))'")
        let outcome = try shell("syncd \(words)", in: sandbox).run()
        // `status` reports held deletions.
        let expected: Int32 = words == "status" ? 6 : 0
        #expect(outcome.status == expected && !outcome.text.isEmpty, "syncd \(words): \(outcome.story)")
        count += 1
      }
    }
    #expect(count >= 12, "only \(count) commands were found")
    #expect(sandbox.read("org/garden.org") == "* Beans of all kinds\n")
  }

  @Test("README: the targets of make exist")
  func make() throws {
    let examples = try Documents.example("README.md", with: "make demo").matches(of: /(?m)^make ([a-z]+)/).map { $0.1 }
    #expect(examples.count >= 3)
    for target in examples {
      try Command(["make", "-C", Documents.project.path, "--dry-run", String(target)]).succeed()
    }
  }

  @Test("contract: the JSON of a run has every promised member")
  func contract() throws {
    let promised = try Documents.example("contract.md", with: "\"version\":1,\"pass\"")
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once", "--json")
    let missing = try Self.missing(
      in: JSONSerialization.jsonObject(with: outcome.out), of: JSONSerialization.jsonObject(with: Data(promised.utf8)))
    #expect(missing.isEmpty, "\(outcome.story)")
  }

  /// The members of `expected` that `found` lacks or has with another type.
  private static func missing(in found: Any, of expected: Any, at place: String = "") -> [String] {
    switch (expected, found) {
    case (let expected as [String: Any], let found as [String: Any]):
      expected.flatMap { key, value in
        found[key].map { missing(in: $0, of: value, at: "\(place).\(key)") } ?? ["\(place).\(key)"]
      }
    case (let expected as [Any], let found as [Any]):
      zip(expected, found).flatMap { missing(in: $1, of: $0, at: place) }
        + (found.isEmpty && !expected.isEmpty ? [place] : [])
    case (is String, is String), (is NSNumber, is NSNumber): []
    default: [place]
    }
  }

  @Test("control socket: the shell line and every request")
  func socket() throws {
    guard try isThere("socat") else { return }
    let sandbox = try Sandbox()
    try sandbox.writeSettings(
      settings: "interval = \"1h\"\nquiet = \"50ms\"", state: sandbox.path("person/.local/state/syncd"))
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    defer { service.kill() }
    try sandbox.wait("the first sync") { sandbox.read("home/a.org") == "* A\n" }
    let example = try Documents.example("control-socket.md", with: "socat").split(separator: "\n").map(String.init)
    let line = String(example[0].dropFirst(2))
    let answer = try shell(line, in: sandbox).succeed()
    let promised = example[1].replacing(/\[ … \]/, with: "[]")
    let missing = try Self.missing(
      in: JSONSerialization.jsonObject(with: answer.out), of: JSONSerialization.jsonObject(with: Data(promised.utf8)))
    #expect(missing.isEmpty, "\(answer.story)")
    let requests = try Documents.text("control-socket.md").matches(of: /(?m)^\| `(\{"do".*\})` \|/).map { String($0.1) }
    #expect(requests.count >= 6)
    for request in requests {
      // A watcher receives events until the connection ends; one second is enough here, unless the machine is busy.
      let limits = request.contains("watch") ? [1, 10, 60] : [60]
      var answer = ""
      for limit in limits where answer.isEmpty {
        let script = line.replacing(#"{"do": "sync"}"#, with: request).replacing("-t 60 ", with: "-t \(limit) ")
        answer = try shell(script, in: sandbox).succeed().text
      }
      #expect(
        answer.hasPrefix("{\"version\":1,\"ok\":true") || answer.contains("\"ok\": true"), "\(request): \(answer)")
    }
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
  }

  @Test("git merge driver: in a real repository, and by hand")
  func driver() throws {
    let sandbox = try Sandbox()
    let base = "* One\n\n* Two\n"
    let (ours, theirs) = ("* One\nours\n\n* Two\n", "* One\n\n* Two\ntheirs\n")
    try sandbox.write(try Documents.example("git-merge-driver.md", with: "[merge \"org\"]"), to: "person/.gitconfig")
    try sandbox.write(
      try Documents.example("git-merge-driver.md", with: "*.org_archive"), to: "repository/.gitattributes")
    func git(_ script: String) throws -> Outcome {
      let variables = [
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@a", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@a",
      ]
      return try shell("set -e; \(script)", in: sandbox, at: "repository", environment: variables).succeed()
    }
    try sandbox.write(base, to: "repository/notes.org")
    _ = try git("git init -q -b main; git add .; git commit -qm base; git switch -qc other")
    try sandbox.write(theirs, to: "repository/notes.org")
    _ = try git("git commit -qam theirs; git switch -q main")
    try sandbox.write(ours, to: "repository/notes.org")
    #expect(
      try git("git commit -qam ours; git merge -q other; git check-attr merge notes.org").text.contains("merge: org"))
    let merged = sandbox.read("repository/notes.org")
    #expect(merged?.contains("ours") == true && merged?.contains("theirs") == true, "\(merged ?? "")")

    try sandbox.write(["hand/base.org": base, "hand/ours.org": ours, "hand/theirs.org": theirs])
    let byHand = try shell(try Documents.example("git-merge-driver.md", with: "result.org"), in: sandbox, at: "hand")
      .succeed()
    #expect(byHand.text == "0\n" && sandbox.read("hand/result.org") == merged, "\(byHand.story)")
  }

  @Test("merging: the text of a conflict")
  func conflict() throws {
    let sandbox = try Sandbox()
    for (name, title) in [("base", "Draft the talk"), ("ours", "Draft the keynote"), ("theirs", "Draft the workshop")] {
      try sandbox.write("* Conference\n** TODO \(title)\n", to: "\(name).org")
    }
    let outcome = try shell("syncd merge-file base.org ours.org theirs.org", in: sandbox).run()
    let example = try Documents.example("merging.md", with: ":CONFLICT:")
    #expect(
      outcome.status == 1 && Self.squeezed(sandbox.read("ours.org")).hasSuffix(Self.squeezed(example)),
      "\(outcome.story)")
  }

  /// The text without the blanks that align tags.
  private static func squeezed(_ text: String?) -> String { (text ?? "").replacing(/\x20+/, with: " ") }

  @Test("encryption: age decrypts a remote's files with a key and with a passphrase, and rekey works")
  func age() throws {
    guard try isThere("age") else { return }
    let sandbox = try Sandbox(remotes: [])
    try sandbox.write("* Beans\n", to: "org/garden.org")
    let settings = try #require(sandbox.read("s.toml"))
    func remote(_ age: String) -> String {
      settings + "[remotes.home]\nsync = \"plain-files\"\ncloud = \"folder\"\nencryption = \"age\"\n"
        + "[remotes.home.folder]\npath = \"mirror\"\ncreate = true\n[remotes.home.age]\n\(age)\n"
    }
    let key = try shell("age-keygen -o key.txt 2>&1", in: sandbox).succeed().text
    let recipient = try #require(key.firstMatch(of: /age1[0-9a-z]+/)).0
    try sandbox.write(remote("recipients = [\"\(recipient)\"]\nidentity-file = \"key.txt\""), to: "s.toml")
    try sandbox.once()
    try shell(try Documents.example("encryption.md", with: "-i key.txt"), in: sandbox).succeed()
    #expect(sandbox.read("garden.org") == "* Beans\n")

    try sandbox.move("s.toml", "old-settings.toml")
    try sandbox.remove("garden.org")
    try sandbox.write(remote("passphrase = \"correct horse\""), to: "s.toml")
    try shell(try Documents.example("encryption.md", with: "syncd rekey"), in: sandbox).succeed()
    try sandbox.once()
    try sandbox.write(try Documents.example("encryption.md", with: "-i key.age"), to: "open.sh")
    let prompt = Documents.project.appending(path: "Tests/CipherAgeTests/age-prompt.py").path
    let opened = try shell("python3 '\(prompt)' 'correct horse' sh -e open.sh", in: sandbox).run()
    #expect(opened.status == 0 && sandbox.read("garden.org") == "* Beans\n", "\(opened.story)")
  }

  @Test("Emacs: the lines for the init file work")
  func emacs() throws {
    guard try isThere("emacs") else { return }
    let sandbox = try Sandbox()
    try sandbox.write(try Documents.example("service.md", with: "(require 'syncd)"), to: "init.el")
    let extras = Documents.project.appending(path: "Extras/emacs").path
    let outcome = try shell(
      "emacs -Q --batch -L '\(extras)' -l ./init.el --eval '(princ (if syncd-mode \"on\" \"off\"))'", in: sandbox
    ).succeed()
    #expect(outcome.text.hasSuffix("on"), "\(outcome.story)")
  }

  @Test("testing: a failpoint kills the run, and the next one completes it")
  func failpoint() throws {
    let sandbox = try Sandbox()
    for number in 0..<4 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    for number in 0..<4 { try sandbox.write("* \(number)\nedited\n", to: "org/\(number).org") }
    let example = try Documents.example("testing.md", with: "SYNCD_FAILPOINTS=")
    #expect(try shell(example, in: sandbox).run().status == 128 + SIGKILL)
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
  }
}
