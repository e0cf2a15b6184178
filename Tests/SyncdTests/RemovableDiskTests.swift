import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Remotes on disks that come and go.
@Suite("A remote on a removable disk") struct RemovableDiskTests {
  /// Settings in which no pass creates the folder of a remote.
  private func sandbox(remotes: [String] = ["usb"], settings: String = "") throws -> Sandbox {
    let sandbox = try Sandbox(remotes: remotes, settings: settings)
    try sandbox.write(try #require(sandbox.read("s.toml")).replacing("create = true\n", with: ""), to: "s.toml")
    try sandbox.write(["org/a.org": "* A\n", "org/deep/b.org": "* B\n"])
    return sandbox
  }

  private func makeFolder(_ name: String, in sandbox: Sandbox) throws {
    try FileManager.default.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: true)
  }

  // MARK: The first contact

  @Test("if the disk is missing at the first contact, no folder is created on another disk")
  func firstContact() throws {
    let sandbox = try sandbox()
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 5 && outcome.text.contains("Mount its disk"), "\(outcome.story)")
    #expect(outcome.text.contains("create = true"), "\(outcome.story)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("usb")))
    try makeFolder("usb", in: sandbox)
    try sandbox.once()
    #expect(sandbox.tree("usb") == sandbox.store)
  }

  @Test("a pass creates the folder only if the settings allow it")
  func create() throws {
    let sandbox = try sandbox()
    try sandbox.write(try #require(sandbox.read("s.toml")) + "create = true\n", to: "s.toml")
    try sandbox.once()
    #expect(sandbox.tree("usb") == sandbox.store)
  }

  @Test("`init` creates the folder and says so, but not its parent")
  func initialFolder() throws {
    let sandbox = try sandbox()
    let words = ["init", "--store", sandbox.path("org"), "--folder"]
    let made = try sandbox.command(words + [sandbox.path("disk")], settings: "new.toml").run()
    #expect(made.status == 0 && made.err.contains("created the folder \(sandbox.path("disk"))"), "\(made.story)")
    #expect(FileManager.default.fileExists(atPath: sandbox.path("disk")))
    let missing = try sandbox.command(words + [sandbox.path("media/disk")], settings: "other.toml").run()
    #expect(missing.status == 0 && missing.err.contains("Mount its disk"), "\(missing.story)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("media")))
  }

  // MARK: Another disk

  @Test(
    "after a reset, an emptied disk is treated as new, and nothing is deleted", arguments: ["emptied", "exchanged"])
  func reset(how: String) throws {
    let sandbox = try sandbox(remotes: ["usb", "other"])
    for name in ["usb", "other"] { try makeFolder(name, in: sandbox) }
    try sandbox.once()
    try sandbox.remove("usb")
    try makeFolder("usb", in: sandbox)
    if how == "exchanged" { try sandbox.write("id ANOTHERDISK\n", to: "usb/.syncd-root") }
    try sandbox.write("* On the new disk\n", to: "usb/new.org")
    let before = sandbox.store
    let refused = try sandbox.syncd("--once")
    #expect(refused.status == 6 && refused.text.contains("`syncd remote reset usb`"), "\(refused.story)")
    #expect(sandbox.store == before)
    let reset = try sandbox.syncd("remote", "reset", "usb")
    #expect(
      reset.status == 0 && reset.text.contains("2 files") && reset.text.contains("deletes nothing"), "\(reset.story)")
    let report = try sandbox.once()
    #expect(report.remotes.allSatisfy { $0.counts.removed == 0 && $0.counts.held == 0 }, "\(report)")
    try sandbox.settle()
    #expect(sandbox.store.files.count == 3)
    #expect(sandbox.tree("usb") == sandbox.store && sandbox.tree("other") == sandbox.store)
    #expect(try sandbox.syncd("status").status == 0)
  }

  @Test("after a reset, an encrypted remote gets a new key on a new disk")
  func encrypted() throws {
    let sandbox = try sandbox()
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(
      settings.replacing("cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"age\"")
        + "[remotes.usb.age]\npassphrase = \"correct horse\"\n", to: "s.toml")
    try makeFolder("usb", in: sandbox)
    try sandbox.once()
    try sandbox.remove("usb")
    try makeFolder("usb", in: sandbox)
    let refused = try sandbox.syncd("--once")
    #expect(refused.status == 6 && refused.text.contains("`syncd remote reset usb`"), "\(refused.story)")
    let reset = try sandbox.syncd("remote", "reset", "usb")
    #expect(reset.status == 0 && reset.text.contains("fingerprint"), "\(reset.story)")
    try sandbox.once()
    try sandbox.remove("org/a.org")
    try sandbox.once()
    #expect(sandbox.store.files.count == 1)
  }

  @Test("a remote can be reset while the service runs, and an unknown one cannot")
  func resetBesideService() throws {
    let sandbox = try sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"")
    try makeFolder("usb", in: sandbox)
    let service = try sandbox.command([]).start()
    defer { service.kill() }
    try sandbox.wait("the first pass") { sandbox.tree("usb") == sandbox.store }
    // The files are there before the pass is recorded; without a record, an empty disk is a new one.
    try sandbox.command(["sync"]).succeed()
    // Moved at once, so that no pass sees a part of it.
    try sandbox.move("usb", "gone")
    try makeFolder("usb", in: sandbox)
    try sandbox.wait("the error") { (try? sandbox.syncd("status").text.contains("remote reset usb")) == true }
    try sandbox.command(["remote", "reset", "usb"]).succeed()
    try sandbox.wait("all files") { sandbox.tree("usb") == sandbox.store }
    #expect(try sandbox.syncd("remote", "reset", "nowhere").status == 2)
    service.kill(SIGTERM)
    #expect(try service.wait().status == 0)
  }
}

#if os(Linux)
  extension RemovableDiskTests {
    /// What a process has open below a folder.
    private func open(_ process: Int32, below folder: String) -> [String] {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
      return all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)") }
        .filter { $0 == folder || $0.hasPrefix(folder + "/") }
    }

    @Test(
      "the service keeps nothing open on the disk between passes or while paused",
      arguments: ["plain", "encrypted", "git", "org-mobile"])
    func descriptors(kind: String) throws {
      let sandbox = try sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"")
      try makeFolder("usb", in: sandbox)
      let plain = try #require(sandbox.read("s.toml"))
      switch kind {
      case "encrypted":
        try sandbox.write(
          plain.replacing("cloud = \"folder\"", with: "cloud = \"folder\"\nencryption = \"age\"")
            + "[remotes.usb.age]\npassphrase = \"correct horse\"\n", to: "s.toml")
      case "git":
        try Command(["git", "init", "-q", "--bare", "-b", "main", sandbox.path("usb/org.git")]).succeed()
        let store = try #require(plain.range(of: "[remotes"))
        try sandbox.write(
          plain[..<store.lowerBound]
            + "[remotes.usb]\nsync = \"git\"\n[remotes.usb.git]\nurl = \"usb/org.git\"\nbranch = \"main\"\n",
          to: "s.toml")
      case "org-mobile":
        try sandbox.write(
          plain.replacing("sync = \"plain-files\"", with: "sync = \"org-mobile\"")
            + "[remotes.usb.org-mobile]\nrole = \"desktop\"\n", to: "s.toml")
      default: break
      }
      let service = try sandbox.command([]).start()
      defer { service.kill() }
      try sandbox.wait("the first pass") { (try? sandbox.syncd("status").status) == 0 }
      for request in ["status", "pause"] {
        #expect(try sandbox.ask(["{\"do\": \"\(request)\"}"])[0]["ok"] as? Bool == true)
        // A listing of the watched folders may still run.
        try sandbox.wait("nothing open below the remote (\(request)): \(open(service.id, below: sandbox.path("usb")))")
        {
          open(service.id, below: sandbox.path("usb")).isEmpty
        }
      }
      service.kill(SIGTERM)
      #expect(try service.wait().status == 0)
    }

    @Test("the disk can be unmounted between passes, and is synced at once when it is mounted again")
    func mounts() throws {
      let sandbox = try sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"")
      try makeFolder("disk/usb", in: sandbox)
      try makeFolder("mnt", in: sandbox)
      try sandbox.write(
        try #require(sandbox.read("s.toml")).replacing("path = \"usb\"", with: "path = \"mnt/usb\""), to: "s.toml")
      // The disk is another mount of a folder, so that its files outlast it.
      let script = """
        set -e
        until_true() { n=0; until eval "$1"; do n=$((n+1)); [ $n -lt 600 ] || { echo "timed out: $1"; exit 1; }; sleep 0.1; done; }
        mount --bind disk mnt || exit 77
        "$0" --settings s.toml 2>log & service=$!
        trap 'kill $service' EXIT
        until_true '[ -e mnt/usb/deep/b.org ]'
        until_true '"$0" --settings s.toml status >status'
        until_true 'umount mnt'
        until_true '"$0" --settings s.toml status | grep -q "right disk"'
        [ ! -e mnt/usb ]
        echo '* C' >org/c.org
        mount --bind disk mnt
        until_true '[ -e mnt/usb/c.org ]'
        until_true '"$0" --settings s.toml status >status'
        until_true 'umount mnt'
        echo '* D' >disk/usb/d.org
        mount --bind disk mnt
        until_true '[ -e org/d.org ]'
        until_true '"$0" --settings s.toml status >status'
        until_true 'umount mnt'
        mount -t tmpfs tmpfs mnt && mkdir mnt/usb && cp -a disk/usb/. mnt/usb
        until_true '"$0" --settings s.toml status >status'
        echo '* E' >mnt/usb/e.org
        until_true '[ -e org/e.org ]'
        until_true 'umount mnt'
        """
      var command = Command(["unshare", "-rm", "sh", "-c", script, Sandbox.binary])
      command.folder = sandbox.root
      let outcome = try command.run()
      if outcome.err.contains("unshare failed") || outcome.status == 77 {
        return skip("this machine does not allow mount namespaces for users")
      }
      #expect(outcome.status == 0, "\(outcome.story)\n\(sandbox.read("log") ?? "")\n\(sandbox.read("status") ?? "")")
      #expect(sandbox.store.files.count == 5)
    }
  }
#endif
