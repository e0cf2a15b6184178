import CPOSIX
import Foundation
import ProgramTesting
import Testing

/// Bad input and errors: each ends with the exit status and the message of the contract, with nothing lost and the rest of the
/// work done.
@Suite struct FaultTests {
  private static let isRoot = geteuid() == 0

  private func mode(_ mode: String, _ path: String) throws { _ = try Command(["chmod", mode, path]).run() }

  @Test(
    "files in an unreadable folder are left unchanged, all others are synced, and the exit status is 4",
    arguments: ["org", "home"])
  func unreadableFolder(side: String) throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write(["org/d/a.org": "* A\n", "org/d/b.org": "* B\n", "org/c.org": "* C\n"])
    try sandbox.once()
    try sandbox.write(["org/c.org": "* C\nedited\n", "home/n.org": "* N\n"])
    let command = sandbox.command(["--once", "--json"]).boundByPermissions
    try mode("0", sandbox.path("\(side)/d"))
    let outcome = try command.run()
    try mode("755", sandbox.path("\(side)/d"))
    #expect(outcome.status == 4, "\(outcome.story)")
    #expect(sandbox.store["d/a.org"] == "* A\n" && sandbox.tree("home")["d/a.org"] == "* A\n")
    #expect(sandbox.tree("home")["c.org"] == "* C\nedited\n" && sandbox.store["n.org"] == "* N\n")
    #expect(outcome.text.contains("\"d\""))
    #expect(try sandbox.command(["--once"]).boundByPermissions.run().status == 0)
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("the error of an unreachable remote disappears once it is reachable, even if one of its files fails")
  func trouble() throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    try sandbox.once()
    try sandbox.move("home", "away")
    let reason = try #require(try sandbox.once(status: 6).home.error)
    #expect(try sandbox.syncd("status").text.contains(reason))
    try sandbox.move("away", "home")
    try sandbox.write("* A2\n", to: "org/a.org")
    try mode("0", sandbox.path("org/a.org"))
    #expect(try sandbox.command(["--once"]).boundByPermissions.run().status == 4)
    let status = try sandbox.syncd("status").text
    #expect(status.contains("a.org") && !status.contains(reason), "\(status)")
    try mode("644", sandbox.path("org/a.org"))
  }

  @Test("an unreadable file is named with exit status 4, and not deleted elsewhere")
  func unreadableFile() throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    try sandbox.once()
    try sandbox.write(["org/a.org": "* A2\n", "org/new.org": "* New\n"])
    let command = sandbox.command(["--once", "--json"]).boundByPermissions
    try mode("0", sandbox.path("org/a.org"))
    let outcome = try command.run()
    #expect(outcome.status == 4, "\(outcome.story)")
    #expect(try outcome.json(Report.self).actions(on: "a.org").map(\.result) == ["failed"])
    try mode("644", sandbox.path("org/a.org"))
    #expect(sandbox.tree("home")["a.org"] == "* A\n" && sandbox.tree("home")["new.org"] == "* New\n")
    #expect(try sandbox.command(["--once"]).boundByPermissions.run().status == 0)
    #expect(sandbox.tree("home")["a.org"] == "* A2\n")
  }

  @Test("a remote that became read-only loses nothing, and its files are still downloaded", arguments: ["home", "org"])
  func readOnly(side: String) throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    try sandbox.once()
    let other = side == "home" ? "org" : "home"
    try sandbox.write(["\(other)/a.org": "* A2\n", "\(side)/b.org": "* B2\n", "\(other)/d/n.org": "* N\n"])
    let command = sandbox.command(["--once"]).boundByPermissions
    try mode("555", sandbox.path(side))
    let outcome = try command.run()
    try mode("755", sandbox.path(side))
    #expect([4, 5].contains(outcome.status), "\(outcome.story)")
    #expect(sandbox.tree(side)["a.org"] == "* A\n" && sandbox.tree(other)["b.org"] == "* B2\n")
    #expect(try sandbox.command(["--once"]).boundByPermissions.run().status == 0)
    #expect(sandbox.store == sandbox.tree("home") && sandbox.store["a.org"] == "* A2\n")
    #expect(sandbox.tree(side).litter.isEmpty)
  }

  @Test("a state folder that cannot be written is reported, and nothing is done")
  func readOnlyState() throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write("* A\n", to: "org/a.org")
    let command = sandbox.command(["--once"]).boundByPermissions
    try mode("555", sandbox.root)
    let outcome = try command.run()
    try mode("755", sandbox.root)
    #expect(outcome.status != 0 && outcome.err.contains("state"), "\(outcome.story)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("home")))
  }

  @Test("a full disk replaces nothing, and the next run continues", arguments: ["home", "org", "state"])
  func fullDisk(place: String) throws {
    guard Self.isRoot else { return skip("only root can mount a small disk") }
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n"])
    let disk = try SmallDisk(at: sandbox.path(place), from: sandbox)
    guard disk.isMounted else { return skip("cannot mount a small disk") }
    try sandbox.once()
    let side = place == "org" ? "home" : "org"
    let large = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
    try sandbox.write(["\(side)/a.org": "* A\nedited\n", "\(side)/n.org": "* N\n"])
    try sandbox.write(large, to: "\(side)/large.bin")
    let outcome = try sandbox.syncd("--once", "--json")
    if place == "state" {
      // It continues if the content need not be kept; otherwise the pass fails.
      #expect([0, 4].contains(outcome.status), "\(outcome.story)")
    } else {
      #expect(outcome.status == 4, "\(outcome.story)")
      #expect(
        sandbox.tree(place)["a.org"] == "* A\nedited\n" && sandbox.tree(place)["n.org"] == "* N\n", "\(outcome.story)")
    }
    #expect(sandbox.tree(side).files["large.bin"] == large)
    #expect(sandbox.tree("org").litter.isEmpty && sandbox.tree("home").litter.isEmpty)
    try sandbox.remove("\(side)/large.bin")
    if FileManager.default.fileExists(atPath: sandbox.path("\(place)/large.bin")) {
      try sandbox.remove("\(place)/large.bin")
    }
    let after = try sandbox.syncd("--once")
    #expect(after.status == 0, "\(after.story)")
    #expect(sandbox.store == sandbox.tree("home"))
    withExtendedLifetime(disk) {}
  }

  @Test("a second instance for a store ends with status 9, also with other settings, and commands that only read work")
  func secondInstance() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.writeSettings(state: "state2", file: "two.toml")
    let go = sandbox.path("go")
    let first = try sandbox.command(["--once"], environment: ["SYNCD_FAILPOINTS": "pass.plan.finished=pause(\(go))"])
      .start()
    defer { first.kill() }
    try sandbox.waitForPause("go")
    for (words, settings) in [
      (["--once"], "s.toml"), (["--once"], "two.toml"), (["restore", "a.org"], "s.toml"), (["allow", "x"], "s.toml"),
    ] {
      let outcome = try sandbox.command(words, settings: settings).run()
      #expect(outcome.status == 9, "\(outcome.story)")
      #expect(outcome.out.isEmpty && !outcome.err.isEmpty)
    }
    for words in [["status"], ["log"], ["conflicts"], ["--once", "--dry-run"]] {
      #expect(try sandbox.command(words).run().status == (["status", "--once"].contains(words[0]) ? 10 : 0))
    }
    try sandbox.write("", to: "go")
    #expect(try first.wait().status == 0)
    #expect(sandbox.read("home/a.org") == "* A\n")
    #expect(try sandbox.syncd("--once").status == 0)
  }

  @Test("the lock of a killed instance does not count")
  func deadLock() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    #expect(try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "pass.plan.finished=kill"]).status == 137)
    #expect(try sandbox.syncd("--once").status == 0)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var script: String

    init(_ name: String, _ script: String) { (testDescription, self.script) = (name, script) }
  }

  static let damages = [
    Damage("a missing database", "rm state/archive.sqlite*"), Damage("an empty database", ": >state/archive.sqlite"),
    Damage("nonsense instead of a database", "echo nonsense >state/archive.sqlite"),
    Damage("a truncated database", "truncate -s 10000 state/archive.sqlite"),
    Damage(
      "a hole in the database",
      "dd if=/dev/zero of=state/archive.sqlite bs=1000 seek=5 count=30 conv=notrunc 2>/dev/null"),
    Damage("one flipped bit", "printf '\\377' | dd of=state/archive.sqlite bs=1 seek=20500 conv=notrunc 2>/dev/null"),
    Damage("a missing state folder", "rm -r state"), Damage("a missing device file", "rm state/device"),
    Damage("a damaged device file", "echo x >state/device"),
    Damage("a damaged generation file", "echo x >state/generation"),
    Damage("an older state", "rm -r state; cp -a old state"),
    Damage("an older database alone", "cp -a old/archive.sqlite state/"),
    Damage("missing contents", "rm -r state/contents"),
    Damage("a truncated pack", "truncate -s 30 state/contents/1.pack"),
  ]

  @Test("a damaged, lost or older state loses and deletes nothing, and requires no manual repair", arguments: damages)
  func damage(damage: Damage) throws {
    let sandbox = try Sandbox()
    for number in 0..<10 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    _ = try Command(["cp", "-a", sandbox.path("state"), sandbox.path("old")]).run()
    try sandbox.write(["org/1.org": "* 1\nedited\n", "home/n.org": "* N\n"])
    try sandbox.remove("org/2.org")
    try sandbox.once()
    try sandbox.write(["org/3.org": "* 3\nmine\n", "home/4.org": "* 4\ntheirs\n", "org/m.org": "* M\n"])
    try sandbox.remove("home/5.org")
    let before = (sandbox.store, sandbox.tree("home"))
    var command = Command(["sh", "-c", damage.script])
    command.folder = sandbox.root
    #expect(try command.run().status == 0)
    let outcome = try sandbox.syncd("--once")
    #expect([0, 3].contains(outcome.status), "\(outcome.story)")
    try sandbox.settle()
    #expect(sandbox.store == sandbox.tree("home"))
    for (name, content) in before.0.files.merging(
      before.1.files, uniquingKeysWith: { a, b in a.count > b.count ? a : b }) where name != "5.org"
    {
      let text = String(decoding: content, as: UTF8.self)
      let isLive = sandbox.store.files.values.contains {
        String(decoding: $0, as: UTF8.self).contains(text.split(separator: "\n").last ?? "")
      }
      #expect(isLive, "\(name)")
    }
    #expect(sandbox.store["3.org"]?.contains("mine") == true && sandbox.store["4.org"]?.contains("theirs") == true)
    #expect(try sandbox.syncd("status").status == 0)
  }

  @Test("commands that only read a damaged state answer or end with status 7, and never crash", arguments: damages)
  func lookAtDamage(damage: Damage) throws {
    let sandbox = try Sandbox()
    for number in 0..<10 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    try sandbox.once()
    _ = try Command(["cp", "-a", sandbox.path("state"), sandbox.path("old")]).run()
    try sandbox.write("* 1\nedited\n", to: "org/1.org")
    try sandbox.once()
    var command = Command(["sh", "-c", damage.script])
    command.folder = sandbox.root
    #expect(try command.run().status == 0)
    let before = try sandbox.fingerprint()
    for words in [["status"], ["log"], ["conflicts"], ["show", "1.org"], ["why", "1.org"], ["--once", "--dry-run"]] {
      let outcome = try sandbox.command(words).run()
      #expect([0, 4, 7, 10].contains(outcome.status), "\(words)\n\(outcome.story)")
    }
    #expect(try sandbox.fingerprint() == before)
  }

  @Test("a newer state ends with status 7, and nothing is changed")
  func newerState() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    // The user version of an SQLite database.
    let script = "printf '\\377' | dd of=state/archive.sqlite bs=1 seek=62 conv=notrunc 2>/dev/null"
    var command = Command(["sh", "-c", script])
    command.folder = sandbox.root
    #expect(try command.run().status == 0)
    try sandbox.write("* B\n", to: "org/a.org")
    let outcome = try sandbox.syncd("--once")
    #expect(outcome.status == 7 && !outcome.err.isEmpty, "\(outcome.story)")
    #expect(sandbox.tree("home")["a.org"] == "* A\n")
    #expect(try sandbox.syncd("status").status == 7)
  }

  @Test("a file that is written continuously is postponed, and its last version arrives")
  func busyFile() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/busy.org": "0\n", "home/b.org": "* B\n"])
    let script =
      "i=0; while :; do i=$((i+1)); for j in 1 2 3 4 5 6 7 8 9; do echo $i $j; done >'\(sandbox.path("org/busy.org"))'; done"
    let writer = try Command(["bash", "-c", script]).start()
    for _ in 0..<5 {
      let outcome = try sandbox.syncd("--once")
      #expect([0, 4].contains(outcome.status), "\(outcome.story)")
    }
    writer.kill()
    _ = try writer.wait()
    #expect(sandbox.tree("home")["a.org"] == "* A\n" && sandbox.store["b.org"] == "* B\n")
    try sandbox.settle()
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("a program that appends through an open descriptor loses nothing", arguments: ["org", "home"])
  func openDescriptor(side: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/log.txt": "begin\n", "org/a.org": "* A\n"])
    try sandbox.once()
    let script = "exec >>'\(sandbox.path("\(side)/log.txt"))'; for i in $(seq 200); do echo line $i; sleep 0.005; done"
    let writer = try Command(["bash", "-c", script]).start()
    for round in 0..<6 {
      try sandbox.write("begin\nother \(round)\n", to: "\(side == "org" ? "home" : "org")/log.txt")
      _ = try sandbox.syncd("--once")
    }
    _ = try writer.wait()
    for _ in 0..<4 { _ = try sandbox.syncd("--once") }
    let live = sandbox.store.files.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    let known = try sandbox.store.names.flatMap { try sandbox.versions(of: $0) }.joined()
    for number in 1...200 { #expect((live + known).contains("line \(number)\n"), "line \(number)") }
    #expect(sandbox.store == sandbox.tree("home"))
  }

  @Test("the memory of a run does not grow with the size of a file")
  func largeFile() throws {
    let small = try Self.peaks(mebibytes: 1)
    let large = try Self.peaks(mebibytes: 300)
    print("*** peak memory for 1 MiB: \(small.map { $0 >> 20 }) MiB, for 300 MiB: \(large.map { $0 >> 20 }) MiB ***")
    for (small, large) in zip(small, large) { #expect(large - small < 16 << 20) }
  }

  /// The peak memory in bytes of three runs with one file: its first sync, a sync that brings it back longer, and `show`.
  private static func peaks(mebibytes: Int) throws -> [Int] {
    let sandbox = try Sandbox()
    let (mine, theirs) = (sandbox.path("org/large.bin"), sandbox.path("home/large.bin"))
    let script =
      "head -c 1048576 /dev/urandom >\"$1\"; for i in $(seq \"$2\"); do echo $i; cat \"$1\"; done >\"$3\""
    try Command(["bash", "-c", script, "bash", sandbox.path("block"), "\(mebibytes)", mine]).succeed()
    let first = try sandbox.command(["--once", "--json"]).start().wait(isMeasured: true)
    #expect(first.status == 0, "\(first.story)")
    try Command(["bash", "-c", "echo more >>\"$1\"", "bash", theirs]).succeed()
    let second = try sandbox.command(["--once", "--json"]).start().wait(isMeasured: true)
    #expect(second.status == 0, "\(second.story)")
    try Command(["cmp", mine, theirs]).succeed()
    let shown = try sandbox.command(["show", "large.bin"]).start().wait(isMeasured: true)
    #expect(shown.out.count > mebibytes << 20)
    return [first.peakMemory, second.peakMemory, shown.peakMemory]
  }

  @Test(
    "a run ends with status 10 at its time limit, and the next one completes the work",
    arguments: [
      "pass.batch.starting=delay(6000)", "storage.commit.starting=delay(6000)",
      "pass.plan.finished=pause(/nonexistent/never)",
    ])
  func timeout(failpoints: String) throws {
    let sandbox = try Sandbox(remotes: ["one", "two"])
    for number in 0..<5 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    let words = ["--once", "--json", "--timeout", "4s"]
    let outcome = try sandbox.command(words, environment: ["SYNCD_FAILPOINTS": failpoints]).run()
    #expect(outcome.status == 10, "\(outcome.story)")
    let report = try outcome.json(Report.self)
    #expect(report.result == "out-of-time" && report.remotes.map(\.name) == ["one", "two"])
    try sandbox.once()
    #expect(sandbox.tree("one") == sandbox.store && sandbox.tree("two") == sandbox.store)
  }

  @Test("a remote whose disk was never mounted is unreachable with exit status 5, and the others are synced")
  func unreachable() throws {
    let sandbox = try Sandbox(remotes: ["one", "two"])
    try sandbox.write("* A\n", to: "org/a.org")
    let text = try #require(sandbox.read("s.toml"))
    try sandbox.write(text.replacing("path = \"one\"", with: "path = \"missing/one\""), to: "s.toml")
    let report = try sandbox.once(status: 5)
    #expect(report.remotes.map(\.result) == ["unreachable", "synced"] && report.result == "unreachable")
    #expect(sandbox.read("two/a.org") == "* A\n")
  }

  @Test("status lists pending files with the reason, until they are synced")
  func pending() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.write("* A\nedited\n", to: "home/a.org")
    let lock = "me@\(ProcessInfo.processInfo.hostName).\(getpid())"
    try FileManager.default.createSymbolicLink(atPath: sandbox.path("org/.#a.org"), withDestinationPath: lock)
    func pending() throws -> [String] {
      let status = try sandbox.syncd("status", "--json").json(Status.self)
      return status.remotes[0].pending
    }
    try sandbox.once()
    #expect(try pending() == ["a.org: is open in Emacs with unsaved changes"])
    #expect(try sandbox.syncd("status").text.contains("open in Emacs"))
    try sandbox.remove("org/.#a.org")
    try sandbox.once()
    #expect(try pending() == [])
    #expect(sandbox.read("org/a.org") == "* A\nedited\n")
  }

  @Test(
    "a run that is stopped ends after its current step, and the next one completes the work",
    arguments: [SIGTERM, SIGINT])
  func signal(number: Int32) throws {
    let (sandbox, run) = try pausedRun()
    run.kill(number)
    try sandbox.wait("the run to notice the signal") { run.errors.contains("stopping after the current write") }
    try sandbox.write("", to: "pause")
    let outcome = try run.wait()
    #expect(outcome.status == 10, "\(outcome.story)")
    #expect(sandbox.tree("home").files.isEmpty)
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("a second signal ends a run at once", arguments: [SIGTERM, SIGINT])
  func secondSignal(number: Int32) throws {
    let (sandbox, run) = try pausedRun()
    run.kill(number)
    try sandbox.wait("the run to notice the signal") { run.errors.contains("send a second signal to stop at once") }
    run.kill(number)
    let outcome = try run.wait()
    #expect(outcome.status == 128 + number, "\(outcome.story)")
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
  }

  /// A run that waits after its plan, before anything is written, until the file `pause` exists.
  private func pausedRun() throws -> (Sandbox, Running) {
    let sandbox = try Sandbox()
    for number in 0..<5 { try sandbox.write("* \(number)\n", to: "org/\(number).org") }
    let pause = ["SYNCD_FAILPOINTS": "pass.plan.finished=pause(\(sandbox.path("pause")))"]
    let run = try sandbox.command(["--once"], environment: pause).start()
    try sandbox.waitForPause("pause")
    return (sandbox, run)
  }

  @Test("the service runs passes until it is stopped")
  func service() throws {
    let sandbox = try Sandbox(settings: "interval = \"1s\"")
    try sandbox.write("* A\n", to: "org/a.org")
    let service = try sandbox.command([]).start()
    try sandbox.wait("the first file") { sandbox.read("home/a.org") == "* A\n" }
    try sandbox.write("* B\n", to: "home/b.org")
    try sandbox.wait("the second file") { sandbox.read("org/b.org") == "* B\n" }
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("secrets are never printed, not even by diagnostic commands")
  func secrets() throws {
    let sandbox = try Sandbox()
    let canary = "c4n4ry-\(UUID().uuidString)"
    let text = try #require(sandbox.read("s.toml"))
    try sandbox.write(text + "password = \"\(canary)\"\n", to: "s.toml")
    for words in [["--once"], ["settings", "check"], ["settings", "show"], ["settings", "show", "--json"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 8 && !outcome.story.contains(canary), "\(outcome.story)")
    }
  }
}

/// A disk of 2 MiB that is mounted for a test.
private final class SmallDisk: Sendable {
  private let path: String
  let isMounted: Bool

  /// Mounts it at `path`, with the present files of `path`.
  init(at path: String, from sandbox: Sandbox) throws {
    self.path = path
    let script =
      "mkdir -p '\(path)' && cp -a '\(path)' '\(path).was' && mount -t tmpfs -o size=2m tmpfs '\(path)' && cp -a '\(path).was/.' '\(path)/'"
    isMounted = try Command(["sh", "-c", script]).run().status == 0
  }

  // A program that a neighbour test starts may still have a descriptor of a file that this test has read.
  deinit { _ = try? Command(["umount", "--lazy", path]).run() }
}
