import Foundation
import ProgramTesting
import SyncKit
import Testing

/// The real program with a folder that a real rsync serves; a local shell replaces ssh.
@Suite("A folder behind rsync as a remote") struct RsyncTests {
  private static let parts = 0..<2

  private static let sftpServer = ["/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private func sandbox(isExclusive: Bool = false, mode: String = "both") throws -> Sandbox {
    let sftp = Self.sftpServer ?? "false"
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.far]
      sync = "rsync-ssh"
      mode = "\(mode)"
      [remotes.far.rsync-ssh]
      host = "far"
      path = "\(sandbox.path("far"))"
      transport = "ssh-command"
      exclusive = \(isExclusive)
      ssh-command = ["/bin/sh", "-c", '''
        for line; do :; done; case " $* " in *" -s "*) exec \(sftp) ;; *) exec /bin/sh -c "$line" ;; esac''', "ssh"]
      """
    try sandbox.write(settings, to: "s.toml")
    return sandbox
  }

  @Test("the folder is synced, listed and checked by `doctor`, and its settings are validated")
  func commands() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    #expect(try sandbox.once().result == "synced")
    #expect(sandbox.read("far/a.org") == "* A\n")
    let doctor = try sandbox.syncd("doctor", "far")
    #expect(doctor.text.contains("holds 1 file;") && doctor.text.contains("exclusive"), "\(doctor.story)")
    #expect(try sandbox.syncd("backends", "rsync-ssh").text.contains("rsync-path"))
    let before = sandbox.tree("far")
    #expect(try sandbox.once().result == "synced")
    #expect(sandbox.tree("far") == before)
    let text = try #require(sandbox.read("s.toml"))
    for (line, word) in [("host = \"-oProxyCommand=x\"", "host"), ("host = \"a@b\"", "host"), ("path = \"\"", "path")] {
      let key = line.prefix { $0 != " " }
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix(key + " =") || $0.contains("\"org\"") }
      try sandbox.write(lines.joined(separator: "\n") + "\n" + line + "\n", to: "bad.toml")
      let outcome = try sandbox.syncd("--once", settings: "bad.toml")
      #expect(outcome.status == 8 && outcome.err.contains(word), "\(outcome.story)")
    }
  }

  @Test("doctor writes nothing to a remote with `mode = \"receive\"`, also in the exclusive mode")
  func receiving() throws {
    guard Self.sftpServer != nil else { return print("*** SKIPPED: sftp-server is not installed ***") }
    let sandbox = try sandbox(isExclusive: true, mode: "receive")
    try sandbox.shell("mkdir far; echo '* A' >far/a.org; chmod 555 far")
    let outcome = try sandbox.command(["doctor", "far"]).boundByPermissions.run()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(outcome.text.contains("did not test how the remote treats writes"), "\(outcome.story)")
    try sandbox.shell("chmod 755 far")
  }

  @Test("a dry run writes nothing, and a missing or emptied folder deletes nothing in the store")
  func dryRunAndAbsence() throws {
    let sandbox = try sandbox()
    for name in ["a", "b"] { try sandbox.write("* \(name)\n", to: "org/\(name).org") }
    try sandbox.once()
    try sandbox.write("* a\nedited\n", to: "org/a.org")
    let before = try sandbox.fingerprint()
    let plan = try sandbox.syncd("--once", "--dry-run")
    #expect(plan.status == 10 && plan.text.contains("a.org"), "\(plan.story)")
    #expect(try sandbox.fingerprint() == before)
    try sandbox.move("far", "unmounted")
    #expect(try sandbox.syncd("--once").status == 6)
    try sandbox.shell("mkdir far")
    #expect(try sandbox.syncd("--once").status == 6)
    #expect(sandbox.store.files.count == 2 && sandbox.tree("far").files.isEmpty)
    try sandbox.shell("rmdir far")
    try sandbox.move("unmounted", "far")
    try sandbox.once()
    #expect(sandbox.read("far/a.org") == "* a\nedited\n")
  }

  @Test(
    "after kill -9 in the middle of a rename, an edit made since follows the file to its new name, once",
    arguments: ["recorded", "linked", "finished", "closing", "closed"], [false, true])
  func killedRename(place: String, isExclusive: Bool) throws {
    guard Self.sftpServer != nil else { return print("*** SKIPPED: sftp-server is not installed ***") }
    let text = "* a\n* b\n* c\n"
    for edit in ["echo '* theirs' >>far/NAME", "cp far/NAME .x; echo '* theirs' >>.x; mv .x far/NAME"] {
      let sandbox = try sandbox(isExclusive: isExclusive)
      try sandbox.write(["org/a.org": text, "org/z.org": "* z\n"])
      try sandbox.once()
      try sandbox.move("org/a.org", "org/n/b.org")
      let killed = try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "rsync.rename.\(place)=kill"])
      #expect(killed.status == 137, "\(killed.story)")
      let isOld = ["recorded", "linked"].contains(place)
      #expect(
        (sandbox.read("far/a.org") != nil) == isOld && (sandbox.read("far/n/b.org") != nil) == (place != "recorded"))
      try sandbox.shell(edit.replacing("NAME", with: isOld ? "a.org" : "n/b.org"))
      for _ in 0..<2 { try sandbox.once() }
      let expected = ["n/b.org": text + "* theirs\n", "z.org": "* z\n"]
      #expect(sandbox.store.files.mapValues { String(decoding: $0, as: UTF8.self) } == expected, "\(place) \(edit)")
      let far = sandbox.tree("far").files.filter { $0.key != ReservedName.marker }
      #expect(far == sandbox.store.files, "\(place) \(edit)")
    }
  }

  private func reset(_ sandbox: Sandbox) throws {
    try sandbox.shell(
      "rm -rf state && find org far -mindepth 1 -delete && cp -a prepared/org/. org/ && cp -a prepared/far/. far/ && cp -a prepared/state ."
    )
  }

  @Test("kill -9 at any step loses nothing and leaves no leftovers", arguments: parts, [false, true])
  func kill(part: Int, isExclusive: Bool) throws {
    guard !isExclusive || Self.sftpServer != nil else { return print("*** SKIPPED: sftp-server is not installed ***") }
    let sandbox = try sandbox(isExclusive: isExclusive)
    try KillSweep.agree(sandbox)
    try sandbox.once()
    try KillSweep.edit(far: "far", sandbox)
    try KillSweep.editStore(sandbox)
    try sandbox.shell("mkdir prepared; cp -a org state far prepared/")
    let sweep = KillSweep(sandbox: sandbox) { try reset(sandbox) }
    try sweep.run(part: part, of: Self.parts.count, sample: 20) { expected, comment in
      let far = sandbox.tree("far").files.filter { $0.key != ReservedName.marker }
      #expect(far == expected.files, "\(comment): \(far.keys.sorted())")
      let folders = try FileManager.default.subpathsOfDirectory(atPath: sandbox.path("far"))
      #expect(folders.allSatisfy { $0 == ReservedName.marker || !$0.contains(".syncd-") }, "\(comment)")
    }
  }
}
