import Foundation
import ProgramTesting
import SyncDaemon
import SyncKit
import Testing

/// The real program with a folder that a real rsync serves; what ssh carries to another machine, a shell does here.
@Suite("A folder behind rsync as a remote") struct RsyncTests {
  private static let parts = 0..<2

  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.far]
      sync = "rsync-ssh"
      [remotes.far.rsync-ssh]
      host = "far"
      path = "\(sandbox.path("far"))"
      transport = "ssh-command"
      ssh-command = ["/bin/sh", "-c", "for line; do :; done; exec /bin/sh -c \\"$line\\"", "ssh"]
      """
    try sandbox.write(settings, to: "s.toml")
    return sandbox
  }

  @Test("is synced, listed, told about by `doctor`, and its settings are checked")
  func commands() throws {
    let sandbox = try sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    #expect(try sandbox.once().result == "synced")
    #expect(sandbox.read("far/a.org") == "* A\n")
    let doctor = try sandbox.syncd("doctor", "far")
    #expect(doctor.text.contains("holds 1 files"), "\(doctor.story)")
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

  @Test("writes nothing in a dry run, and is never taken for an empty folder")
  func dryRunAndAbsence() throws {
    let sandbox = try sandbox()
    for name in ["a", "b"] { try sandbox.write("* \(name)\n", to: "org/\(name).org") }
    try sandbox.once()
    try sandbox.write("* a\nedited\n", to: "org/a.org")
    let before = try sandbox.fingerprint()
    let plan = try sandbox.syncd("--once", "--dry-run")
    #expect(plan.status == 0 && plan.text.contains("a.org"), "\(plan.story)")
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

  /// New, changed, merged, removed and renamed files on either side.
  private func prepare(_ sandbox: Sandbox) throws {
    var agreed = Dictionary(uniqueKeysWithValues: (0..<9).map { ("org/other\($0).org", "* Other \($0)\n") })
    agreed.merge([
      "org/merged.org": "* A\none\n* B\ntwo\n", "org/mine.org": "* Mine\n", "org/theirs.org": "* Theirs\n",
      "org/gone.org": "* Gone\n", "org/vanished.org": "* Vanished\n", "org/old.org": "* Old\ntext\n",
    ]) { $1 }
    try sandbox.write(agreed)
    try sandbox.once()
    try sandbox.write([
      "far/merged.org": "* A\none\n* B\nTWO\n", "far/theirs.org": "* Theirs\nedited\n", "far/arrived/x.org": "* X\n",
    ])
    try sandbox.remove("far/vanished.org")
    try sandbox.write([
      "org/merged.org": "* A\nONE\n* B\ntwo\n", "org/mine.org": "* Mine\nedited\n", "org/new/y.org": "* Y\n",
    ])
    try sandbox.remove("org/gone.org")
    try sandbox.move("org/old.org", "org/renamed/old.org")
    try sandbox.shell("mkdir prepared; cp -a org state far prepared/")
  }

  private func reset(_ sandbox: Sandbox) throws {
    try sandbox.shell(
      "rm -rf state && find org far -mindepth 1 -delete && cp -a prepared/org/. org/ && cp -a prepared/far/. far/ && cp -a prepared/state ."
    )
  }

  @Test("survives kill -9 at any place: nothing lost, nothing left behind", arguments: parts)
  func kill(part: Int) throws {
    let sandbox = try sandbox()
    try prepare(sandbox)
    try sandbox.once()
    let expected = sandbox.store
    let places = try count(sandbox)
    let isSoak = ProcessInfo.processInfo.environment["SYNCD_SOAK"] == "1"
    let step = isSoak ? max(1, places / 200) : max(1, places / 20)
    var killed = 0
    for (index, place) in stride(from: 1, through: places, by: step).enumerated()
    where index % Self.parts.count == part {
      try reset(sandbox)
      let plan = ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]
      #expect(try sandbox.syncd("--once", environment: plan).status == 137, "place \(place)")
      var outcome = try sandbox.syncd("--once")
      if outcome.status != 0 { outcome = try sandbox.syncd("--once") }
      #expect(outcome.status == 0, "place \(place)\n\(outcome.story)")
      #expect(sandbox.store == expected, "place \(place)")
      let far = sandbox.tree("far").files.filter { $0.key != ReservedName.marker }
      #expect(far == expected.files, "place \(place): \(far.keys.sorted())")
      killed += 1
    }
    print("*** killed at \(killed) of \(places) places of a pass with a folder behind rsync ***")
  }

  /// How many places an undisturbed run passes.
  private func count(_ sandbox: Sandbox) throws -> Int {
    func isKilled(at place: Int) throws -> Bool {
      try reset(sandbox)
      return try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": "*=kill@nth(\(place))"]).status == 137
    }
    var (low, high) = (0, 64)
    while try isKilled(at: high) { (low, high) = (high, high * 2) }
    while high - low > 1 {
      let middle = (low + high) / 2
      if try isKilled(at: middle) { low = middle } else { high = middle }
    }
    return low
  }
}
