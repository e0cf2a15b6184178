import Foundation
import ProgramTesting
import SyncKit
import Testing

/// Encrypted remotes with the real program: no plain text ever reaches them, and each error has its exit status.
@Suite struct EncryptionTests {
  private static let canary = "kanarienvogel"

  /// A sandbox whose remote is encrypted; nil, with a message, without age-keygen.
  private func sandbox(_ more: String = "") throws -> Sandbox? {
    let box = try Sandbox()
    guard try Command(["sh", "-c", "command -v age-keygen"]).run().status == 0 else {
      skip("age is not installed")
      return nil
    }
    try makeKey("key", in: box)
    try writeSettings(box, key: "key", more: more)
    return box
  }

  private func makeKey(_ name: String, in box: Sandbox) throws {
    try box.shell("age-keygen -o \(name) 2>/dev/null && age-keygen -y \(name) > \(name).pub")
  }

  private func writeSettings(_ box: Sandbox, key: String?, more: String = "", to file: String = "s.toml") throws {
    var text = "[syncd]\nstate = \"state\"\n[store]\nbackend = \"org-files\"\npath = \"org\"\n"
    text += "[remotes.home]\nsync = \"plain-files\"\ncloud = \"folder\"\n"
    if key != nil { text += "encryption = \"age\"\n" }
    text += "[remotes.home.folder]\npath = \"home\"\ncreate = true\n"
    if let key {
      let recipient = box.read("\(key).pub")?.trimmingCharacters(in: .newlines) ?? ""
      text += "[remotes.home.age]\nrecipients = [\"\(recipient)\"]\nidentity-file = \"\(key)\"\n\(more)\n"
    }
    try box.write(text, to: file)
  }

  /// Decrypts every file of the remote with age.
  private func opened(_ box: Sandbox, key: String = "key") throws -> [String: String] {
    var texts: [String: String] = [:]
    for name in box.tree("home").names {
      let outcome = try Command(["age", "-d", "-i", box.path(key), box.path("home/" + name)]).run()
      guard outcome.status == 0 else { throw TestFailure("\(name): \(outcome.story)") }
      texts[name] = outcome.text
    }
    return texts
  }

  @Test func `age decrypts an encrypted folder, and its files are restored whole`() throws {
    guard let box = try sandbox() else { return }
    try box.write(["org/a.org": "* One\n", "org/sub/b.org": "* Two\n", "org/empty.org": ""])
    #expect(try box.once().home.counts.copied == 3)
    #expect(try opened(box) == ["a.org": "* One\n", "sub/b.org": "* Two\n", "empty.org": ""])
    try box.shell("rm -rf state && mv org former && mkdir org")
    #expect(try box.once().result == "synced")
    #expect(box.store == box.tree("former"))
    #expect(try box.once().home.counts.isNothing)
  }

  @Test(arguments: ["", "hide-names = true"])
  func `a canary text is only in the store and its history, whatever fails`(more: String) throws {
    guard try Strace.isUsable(), let box = try sandbox(more) else { return }
    try box.shell("mkdir tmp")
    let secret = try #require(box.read("key")?.split(separator: "\n").last)
    let name = more.isEmpty ? "a" : Self.canary
    try box.write("* \(Self.canary)\n", to: "org/\(name).org")
    try box.write("* b\n" + String(repeating: Self.canary, count: 200_000), to: "org/large.org")
    for (number, plan) in [
      "tree.file.published=kill@nth(2)", "tree.temporary.writing=error(EIO)@nth(1)",
      "storage.commit.finished=kill", "archive.record.written=kill@first",
    ].enumerated() {
      try box.write("* \(Self.canary) \(number)\n", to: "org/\(name).org")
      let environment = ["SYNCD_FAILPOINTS": plan, "TMPDIR": box.path("tmp")]
      let (outcome, strace) = try Strace.watch(box.command(["--once", "-v"], environment: environment), in: box)
      #expect(!outcome.story.contains(Self.canary + " "))
      let places = strace.places(of: Self.canary + " ").union(strace.places(of: Self.canary + Self.canary))
      // The store and the history contain it in plain text.
      let own = ["state/", "org/"].map(box.path)
      #expect(places.allSatisfy { place in own.contains { place.hasPrefix($0) } }, "\(places)")
      #expect(strace.programs > 0 && strace.places(of: String(secret)).isEmpty)
    }
    #expect(try box.once().result == "synced")
    for place in ["home", "state", "tmp"] {
      let found = try Command(["grep", "-rlaF", "-e", String(secret), box.path(place)]).run()
      #expect(found.status == 1, "\(found.text)")
    }
    // The history is in two places of the state folder, in plain text like the store.
    let found = try Command(["grep", "-rlaiF", "-e", Self.canary, box.path("home"), box.path("tmp")]).run()
    #expect(found.status == 1, "\(found.text)")
    let names = try Command(["find", box.path("home"), "-iname", "*\(Self.canary)*"]).run()
    #expect(names.text.isEmpty)
    #expect(box.tree("home").litter.isEmpty)
  }

  @Test func `gpg receives a canary text through pipes, and not on its command line`() throws {
    let box = try Sandbox()
    guard try Strace.isUsable(), try FileSeal.gpg.makeKeys(in: box) else { return }
    let settings = try #require(box.read("s.toml")).replacing(
      "cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"gpg\"")
    try box.write(
      settings + "[remotes.home.gpg]\nrecipients = [\"r1@example.org\"]\nhomedir = \"gnupg\"\n", to: "s.toml")
    try box.write("* \(Self.canary)\n", to: "org/a.org")
    let (outcome, strace) = try Strace.watch(box.command(["--once"]), in: box)
    #expect(outcome.status == 0, "\(outcome.story)")
    let places = strace.places(of: Self.canary)
    #expect(places.contains("a pipe") && places.allSatisfy { $0 == "a pipe" || $0.hasPrefix(box.path("state/")) })
    #expect(strace.programs > 1)
    #expect(try FileSeal.gpg.open("home/a.org", in: box) == "* \(Self.canary)\n")
    try FileSeal.gpg.tidy(box)
  }

  @Test func `without the right key nothing is done, and the status says so`() throws {
    guard let box = try sandbox() else { return }
    try box.write("* One\n", to: "org/a.org")
    try box.once()
    try box.write("* Two\n", to: "org/b.org")
    let before = box.tree("home")
    try makeKey("other", in: box)
    try writeSettings(box, key: "other")
    #expect(try box.once(status: 11).home.error?.contains("does not decrypt the remote home") == true)
    try writeSettings(box, key: "key")
    try box.shell("mv key kept && : > key")
    #expect(try box.once(status: 11).home.error?.contains("contains none") == true)
    try box.shell("rm key")
    #expect(try box.once(status: 11).home.error?.contains("home has no key") == true)
    try box.shell("cp other key")
    #expect(try box.once(status: 11).home.error?.contains("recipients") == true)
    try writeSettings(box, key: nil)
    #expect(try box.once(status: 6).home.error?.contains("encryption = \"age\"") == true)
    #expect(try box.syncd("--once", "--dry-run").status == 6)
    // Another device that never knew of the encryption.
    try box.shell("rm -rf state")
    #expect(try box.once(status: 6).home.error?.contains("is encrypted") == true)
    #expect(box.tree("home") == before)
  }

  @Test func `invalid settings are refused before anything is changed`() throws {
    let box = try Sandbox()
    for (lines, message) in [
      ("", "set `recipients` and `identity-file`"), ("recipients = [\"age1x\"]", "is not a public key of age"),
      ("identity-file = \"k\"", "set `recipients`"), ("passphrase = \"x\"\nhide-name = true", "hide-names"),
    ] {
      try box.write(
        """
        [store]
        path = "org"
        [remotes.home]
        sync = "plain-files"
        cloud = "folder"
        encryption = "age"
        [remotes.home.folder]
        path = "home"
        create = true
        [remotes.home.age]
        \(lines)
        """, to: "s.toml")
      let outcome = try box.syncd("--once")
      #expect(outcome.status == 8 && outcome.story.contains(message), "\(outcome.story)")
    }
    #expect(box.tree("home").files.isEmpty)
  }

  @Test func `a remote that was encrypted is not reset while the settings do not encrypt it`() throws {
    guard let box = try sandbox() else { return }
    try box.once()
    try writeSettings(box, key: nil)
    let refused = try box.syncd("remote", "reset", "home")
    #expect(refused.status == 8 && refused.err.contains("`encryption`"), "\(refused.story)")
    try writeSettings(box, key: "key")
    #expect(try box.syncd("remote", "reset", "home").status == 0)
  }

  @Test func `a passphrase is accepted as a key`() throws {
    let box = try Sandbox()
    var text = try #require(box.read("s.toml"))
    text = text.replacing("cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"age\"")
    try box.write(text + "[remotes.home.age]\npassphrase = { file = \"secret\" }\n", to: "s.toml")
    try box.write("two words\n", to: "secret")
    try box.shell("chmod 600 secret")
    try box.write("* One\n", to: "org/a.org")
    try box.once()
    #expect(box.read("home/a.org")?.hasPrefix("age-encryption.org/v1\n") == true)
    try box.shell("rm -rf state && mv org former && mkdir org")
    try box.once()
    #expect(box.store == box.tree("former"))
    try box.write("other words\n", to: "secret")
    try box.shell("chmod 600 secret")
    #expect(try box.once(status: 11).home.error?.contains("does not decrypt") == true)
    try box.write("\n", to: "secret")
    try box.shell("chmod 600 secret")
    #expect(try box.once(status: 11).home.error?.contains("passphrase") == true)
  }

  @Test func `swapped and unencrypted files are held, and all others are synced`() throws {
    guard let box = try sandbox() else { return }
    try box.write(["org/a.org": "* One\n", "org/b.org": "* Two\n", "org/c.org": "* Three\n"])
    try box.once()
    try box.shell("cd home && mv a.org x && mv b.org a.org && mv x b.org && echo plain > new.org")
    try box.write("* Four\n", to: "org/c.org")
    let report = try box.once(status: 6).home
    #expect(report.counts.held == 3 && report.counts.copied == 1, "\(report)")
    let held = try #require(report.actions.first { $0.path == "new.org" })
    #expect(held.action == "hold" && held.detail.contains("not encrypted"))
    #expect(box.read("org/a.org") == "* One\n" && box.read("org/b.org") == "* Two\n" && box.read("org/new.org") == nil)
    #expect(box.read("home/new.org") == "plain\n")
    // Encrypting it again restores the last common state of both sides.
    #expect(try box.syncd("rekey", "home").status == 6)
    try box.remove("home/new.org")
    #expect(try box.once().result == "synced")
    #expect(try opened(box) == ["a.org": "* One\n", "b.org": "* Two\n", "c.org": "* Four\n"])
  }

  /// The changes from one kind of encryption to another, each as the settings before and after.
  private static let changes: [(String?, String, String?, String)] = [
    (nil, "", "key", ""), ("key", "", "other", ""), ("key", "", "key", "hide-names = true"),
    ("key", "hide-names = true", "other", ""), ("other", "", nil, ""),
  ]

  @Test(
    "a rekey job that is interrupted between writing a new name and removing the old one continues",
    arguments: changes.indices,
    ["storage.commit.starting=kill@nth(2)", "storage.commit.finished=kill@nth(1)"])
  func cutOffBetween(index: Int, plan: String) throws {
    let (old, oldMore, new, newMore) = Self.changes[index]
    guard let box = try sandbox() else { return }
    try makeKey("other", in: box)
    try writeSettings(box, key: old, more: oldMore)
    for number in 0..<20 { try box.write("* \(number)\n", to: "org/\(number).org") }
    try box.once()
    for number in 0..<20 where number % 3 == 0 { try box.write("* \(number), edited\n", to: "org/\(number).org") }
    try box.once()
    try writeSettings(box, key: old, more: oldMore, to: "old.toml")
    try writeSettings(box, key: new, more: newMore)
    let words = ["rekey", "home"] + (old == nil ? [] : ["--from", box.path("old.toml")])
    for _ in 0..<2 {
      // If no name changes there is no second step.
      #expect(try [0, 137].contains(box.command(words, environment: ["SYNCD_FAILPOINTS": plan]).run().status))
    }
    let outcome = try box.command(words).run()
    #expect(outcome.status == 0, "\(outcome.story)")
    let after = try box.once()
    #expect(after.result == "synced" && after.home.counts.isNothing && after.home.bytes.up == 0, "\(after)")
    #expect(box.store.files.count == 20 && box.tree("home").files.count == 20 && box.tree("home").litter.isEmpty)
  }

  @Test(arguments: changes.indices)
  func `encryption is enabled, disabled and changed to another key by a job that can be interrupted`(index: Int) throws
  {
    try switchOver(index, killedAt: [1, 3, 6, 12, 24, 40, 60])
  }

  @Test(
    "the rekey job can be interrupted anywhere, and again at the same place", .enabled(if: isSoak),
    arguments: changes.indices)
  func interruptedAnywhere(index: Int) throws {
    for place in 1...150 { try switchOver(index, killedAt: [place, place]) }
  }

  private func switchOver(_ index: Int, killedAt places: [Int]) throws {
    let (old, oldMore, new, newMore) = Self.changes[index]
    guard let box = try sandbox() else { return }
    try makeKey("other", in: box)
    try writeSettings(box, key: old, more: oldMore)
    let files = ["org/a.org": "* One\n", "org/sub/b.org": "* Two\n", "org/sub/c.org": "* Three\n"]
    try box.write(files)
    try box.once()
    try writeSettings(box, key: old, more: oldMore, to: "old.toml")
    try writeSettings(box, key: new, more: newMore)
    #expect(try [6, 11].contains(box.syncd("--once").status))
    var words = ["rekey", "home"]
    if old != nil { words += ["--from", box.path("old.toml")] }
    for place in places {
      let outcome = try box.command(words, environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).run()
      if outcome.status == 0 { break }
      #expect(outcome.status == 137, "\(outcome.story)")
    }
    for _ in 0..<2 {
      let outcome = try box.command(words).run()
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    let after = try box.once()
    #expect(after.result == "synced" && after.home.bytes.up == 0 && after.home.bytes.down == 0, "\(after)")
    #expect(try box.once().home.counts.isNothing)
    #expect(box.store.files.count == 3 && box.tree("home").litter.isEmpty)
    if let new, newMore.isEmpty {
      #expect(try opened(box, key: new) == ["a.org": "* One\n", "sub/b.org": "* Two\n", "sub/c.org": "* Three\n"])
    } else if new == nil {
      #expect(box.tree("home") == box.store)
    } else {
      #expect(Set(try opened(box, key: "key").values) == ["* One\n", "* Two\n", "* Three\n"])
    }
  }

  /// Remotes that were written by a version before the format changed, with the same files in each.
  private static let formerRemotes = ["plain", "hidden", "passphrase"]

  @Test(arguments: formerRemotes)
  func `a remote of the former format is migrated by a job that can be killed`(kind: String) throws {
    guard let box = try sandbox(kind == "hidden" ? "hide-names = true" : "") else { return }
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/FormerRemotes/\(kind)")
    try box.shell("cp -a '\(fixture.path)/.' . && chmod 600 key")
    if kind == "passphrase" {
      let text = try #require(box.read("s.toml"))
      let head = try #require(text.range(of: "[remotes.home.age]")).lowerBound
      try box.write(text[..<head] + "[remotes.home.age]\npassphrase = \"correct horse\"\n", to: "s.toml")
      try box.shell("chmod 600 s.toml")
    } else {
      try box.shell("age-keygen -y key > key.pub")
      try writeSettings(box, key: "key", more: kind == "hidden" ? "hide-names = true" : "")
    }
    let name = String(repeating: "n", count: 150)
    var files = ["org/a.org": "* One\n", "org/sub/b.org": "* Two\n", "org/empty.org": ""]
    if kind == "hidden" { files["org/\(name).org"] = "* Long\n" }
    try box.write(files)
    let before = box.tree("home")
    #expect(try box.once(status: 6).home.error?.contains("former format") == true)
    #expect(box.tree("home") == before)
    for place in [1, 3, 6, 12, 24, 40, 60] {
      let outcome = try box.command(["rekey", "home"], environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).run()
      if outcome.status == 0 { break }
      #expect(outcome.status == 137, "\(outcome.story)")
    }
    let outcome = try box.syncd("rekey", "home")
    #expect(outcome.status == 0, "\(outcome.story)")
    let after = try box.once()
    #expect(after.result == "synced" && after.home.counts.held == 0, "\(after)")
    #expect(box.store.files.count == files.count && box.tree("home").files.count == files.count)
    // Another device has the same result, and the former marker is refused.
    try box.shell("mv org former && mv state kept && mkdir org")
    #expect(try box.once().result == "synced")
    #expect(box.store == box.tree("former"))
    try box.shell("cp '\(fixture.path)/home/.syncd-root' home/.syncd-root")
    #expect(try box.once(status: 6).home.error?.contains("another key than before") == true)
  }

  @Test func `a file that differs from this device's version is not migrated unless a person accepts it`() throws {
    guard let box = try sandbox() else { return }
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/FormerRemotes/plain")
    try box.shell("cp -a '\(fixture.path)/.' . && chmod 600 key && age-keygen -y key > key.pub")
    try writeSettings(box, key: "key")
    try box.write(["org/a.org": "* Another one\n", "org/sub/b.org": "* Two\n", "org/empty.org": ""])
    let outcome = try box.syncd("rekey", "home")
    #expect(outcome.status == 6 && outcome.err.contains("a.org differs"), "\(outcome.story)")
    #expect(outcome.err.contains("--accept-unproven"))
    #expect(try box.once(status: 6).home.error?.contains("must be finished") == true)
    #expect(try box.syncd("rekey", "home", "--accept-unproven").status == 0)
    #expect(try opened(box)["a.org"] == "* One\n")
  }

  @Test func `the old key is kept until everything in the remote can be decrypted`() throws {
    guard let box = try sandbox() else { return }
    try makeKey("other", in: box)
    try box.write(["org/a.org": "* One\n", "org/sub/b.org": "* Two\n"])
    try box.once()
    let marker = box.read("home/.syncd-root")
    try box.shell("cp s.toml old.toml && chmod 000 home/sub")
    try writeSettings(box, key: "other")
    let outcome = try box.command(["rekey", "home", "--from", box.path("old.toml")]).boundByPermissions.run()
    #expect(
      outcome.status == 5 && outcome.err.contains("sub: ") && outcome.err.contains("run `syncd rekey"),
      "\(outcome.story)")
    #expect(box.read("home/.syncd-root") == marker)
    try box.shell("chmod 755 home/sub")
    #expect(try box.syncd("rekey", "home", "--from", box.path("old.toml")).status == 0)
    #expect(try opened(box, key: "other") == ["a.org": "* One\n", "sub/b.org": "* Two\n"])
  }

  @Test func `another device accepts a new key only with its fingerprint`() throws {
    guard let box = try sandbox() else { return }
    try makeKey("other", in: box)
    try box.write("* One\n", to: "org/a.org")
    try box.once()
    try box.shell("cp -a state kept && cp s.toml old.toml")
    try writeSettings(box, key: "other")
    let rekeyed = try box.syncd("rekey", "home", "--from", box.path("old.toml"))
    #expect(rekeyed.status == 0, "\(rekeyed.story)")
    let fingerprint = String(try #require(rekeyed.text.firstMatch(of: /fingerprint is ([a-z2-7-]{39})/)?.1))
    try box.once()
    let sealed = box.tree("home")
    // The state of a device that did not sync meanwhile.
    try box.shell("rm -rf state && mv kept state")
    #expect(try box.once(status: 6).home.error?.contains("has another key than before") == true)
    #expect(try box.syncd("rekey", "home").status == 6)
    let known = try #require(box.syncd("status").text.firstMatch(of: /fingerprint ([a-z2-7-]{39})/)?.1)
    #expect(try box.syncd("trust", "home", String(known)).status == 6)
    #expect(fingerprint != String(known))
    let outcome = try box.syncd("trust", "home", fingerprint)
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(try box.once().result == "synced")
    #expect(try box.syncd("status").text.contains("fingerprint \(fingerprint)"))
    #expect(try box.syncd("doctor").story.contains(fingerprint))
    #expect(box.tree("home") == sealed)
  }
}
