import Foundation
import ProgramTesting
import SyncKit
import Testing

/// The program is killed, or fails, at every failpoint; the next run continues without help.
///
/// In a normal run the failpoints are sampled evenly; `SYNCD_SOAK=1` takes all of them.
@Suite struct CrashTests {
  /// The sweep is split to use more than one processor.
  static let parts = [0, 1]

  /// Numbers from 1 to `count`: all of them, or about as many as wanted, for one part of the sweep.
  private static func sample(_ count: Int, atMost wanted: Int, part: Int) -> [Int] {
    let step = isSoak ? 1 : max(1, (count + wanted - 1) / wanted)
    return stride(from: 1, through: count, by: step).enumerated().filter { $0.offset % parts.count == part }.map(
      \.element)
  }

  @Test(
    "a run that is killed anywhere is completed by the next one, with equal sides, no loss and no leftovers",
    arguments: parts)
  func kill(part: Int) async throws {
    let workload = try Workload.everything()
    let count = try workload.places()
    let sample = Self.sample(count, atMost: 100, part: part)
    for place in sample {
      try workload.prepare()
      #expect(try workload.run(failing: "*=kill@nth(\(place))") == 137, "place \(place)")
      try await workload.expectRecovery("killed at place \(place)")
    }
    print("*** killed at \(sample.count) of \(count) places of a pass ***")
  }

  @Test("a first run that is killed anywhere is completed by the next one", arguments: parts)
  func killMeeting(part: Int) async throws {
    let workload = try Workload.meeting()
    let count = try workload.places()
    for place in Self.sample(count, atMost: 24, part: part) {
      try workload.prepare()
      #expect(try workload.run(failing: "*=kill@nth(\(place))") == 137, "place \(place)")
      try await workload.expectRecovery("killed at place \(place) of a first meeting")
    }
  }

  @Test("a recovery that is killed is completed by the next run", arguments: parts)
  func killTwice(part: Int) async throws {
    let workload = try Workload.little()
    let count = try workload.places()
    var pairs = 0
    for first in Self.sample(count, atMost: 16, part: part) {
      for second in Self.sample(count, atMost: 4, part: 0) {
        try workload.prepare()
        #expect(try workload.run(failing: "*=kill@nth(\(first))") == 137)
        guard try workload.run(failing: "*=kill@nth(\(second + first % 5))") == 137 else { break }
        try await workload.expectRecovery("killed at \(first), then at \(second + first % 5)")
        pairs += 1
      }
    }
    print("*** killed at \(pairs) pairs of places ***")
  }

  @Test(
    "an error at any failpoint loses nothing, and the next run completes the work", arguments: parts, ["EIO", "ENOSPC"])
  func error(part: Int, name: String) async throws {
    let workload = try Workload.everything()
    let count = try workload.places()
    for place in Self.sample(count, atMost: 20, part: part) {
      try workload.prepare()
      let status = try workload.run(failing: "*=error(\(name))@nth(\(place))")
      #expect(status < 128, "place \(place)")
      try await workload.expectRecovery("\(name) at place \(place)", mayLeaveFolders: true)
    }
  }

  @Test(
    "a write that fails at any time ends with status 4 or worse, never with a crash or a loss",
    arguments: [
      "tree.temporary.written", "tree.intent.writing", "tree.file.exchanging", "tree.file.publishing",
      "tree.folder.syncing",
      "archive.contents.writing", "archive.versions.writing", "archive.record.writing", "storage.commit.starting",
    ])
  func persistent(failpoint: String) async throws {
    let workload = try Workload.everything()
    try workload.prepare()
    let status = try workload.run(failing: "\(failpoint)=error(EIO)")
    #expect((1..<128).contains(status), "\(status)")
    try await workload.expectRecovery("EIO always at \(failpoint)")
  }

  @Test(
    "bytes that were truncated or corrupted on their way to the disk are never published",
    arguments: ["short(3)", "corrupt"])
  func spoilt(action: String) async throws {
    let workload = try Workload.everything()
    try workload.prepare()
    try workload.run(failing: "tree.temporary.writing=\(action)")
    for tree in [workload.sandbox.store, workload.sandbox.tree("home")] {
      #expect(tree.files["arrived.org"] == nil || tree.files["arrived.org"] == workload.expected.files["arrived.org"])
      #expect(tree.files["new.org"] == nil || tree.files["new.org"] == workload.expected.files["new.org"])
    }
    try await workload.expectRecovery("\(action) while writing")
  }

  @Test("the program lists every failpoint that a linked module declares")
  func listed() throws {
    let list = try Command([Sandbox.binary], environment: ["SYNCD_FAILPOINTS": "list"]).run()
    let names = list.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    let declared = try Self.declaredFailpoints()
    #expect(declared.count > 70)
    #expect(Set(names) == declared)
    #expect(names.count == declared.count)
  }

  /// The raw values of all enums in the sources that are failpoints of a module.
  private static func declaredFailpoints() throws -> Set<String> {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains(/\n(public |package )?enum \w+: String, ModuleFailpoint/) else { continue }
      names.formUnion(text.matches(of: /case \w+ = "([^"]+)"/).map { String($0.1) })
    }
    return names
  }

  @Test("the workloads reach every failpoint")
  func reached() throws {
    let list = try Command([Sandbox.binary], environment: ["SYNCD_FAILPOINTS": "list"]).run()
    #expect(list.status == 0)
    // The sign-in to Box, renames in a bucket and over sftp, a mesh, a git repository, a machine with rsync, a store in SQLite, `syncd history
    // purge`, the hub and the commands that edit entries have tests of their own.
    var missing = list.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }.filter { name in
      ![
        "archive.packs.", "archive.purge.", "box.", "bucket.", "entries.", "git.", "hub.", "mesh.", "rsync.", "sftp.",
        "sqlite.",
      ].contains { name.hasPrefix($0) }
    }
    #expect(missing.count >= 56)
    for workload in [try Workload.everything(), try Workload.meeting()] {
      missing = try missing.filter { name in
        try workload.prepare()
        return try workload.run(failing: "\(name)=kill") != 137
      }
    }
    missing = try missing.filter { try !Self.isReachedOtherwise($0) }
    #expect(missing.isEmpty, "not reached: \(missing)")
  }

  /// Failpoints that only a disturbed run passes: a recovery, and a change of a file at the last moment.
  private static func isReachedOtherwise(_ name: String) throws -> Bool {
    let workload = try Workload.everything()
    for first in [
      "tree.file.exchanged=kill", "tree.file.moved-away=kill", "tree.temporary.synced=kill", "tree.file.verified=kill",
    ] {
      try workload.prepare()
      try workload.run(failing: first)
      if try workload.run(failing: "\(name)=kill") == 137 { return true }
    }
    for (workload, place, path) in [
      (try Workload.little(), "tree.file.exchanging", "home/a.org"),
      (try Workload.removal(), "tree.file.moving-away", "home/gone.org"),
    ] {
      let outcome = try workload.runEditing(path, to: "* Edited\n", at: place, adding: ";\(name)=kill")
      if outcome.status == 137 { return true }
    }
    // An approval.
    try workload.prepare()
    try workload.sandbox.shell("rm home/other*.org")
    try workload.run(failing: "")
    let held = try workload.sandbox.syncd("status", "--json").json(Status.self).remotes[0].held
    let words = ["allow", try #require(held?.id)]
    let allowing = try workload.sandbox.command(words, environment: ["SYNCD_FAILPOINTS": "\(name)=kill"]).run()
    if allowing.status == 137 {
      #expect(try workload.sandbox.command(words).run().status == 0 || name.hasSuffix("written"))
      return true
    }
    return false
  }

  @Test(
    "an edit on either side at the last moment survives",
    arguments: [
      ("tree.file.exchanging", "home/mine.org"), ("tree.file.exchanging", "org/theirs.org"),
      ("tree.file.moving-away", "home/gone.org"),
      ("tree.file.moving-away", "org/vanished.org"), ("tree.file.publishing", "home/new.org"),
      ("tree.file.publishing", "org/arrived.org"),
      ("tree.file.exchanged", "home/mine.org"), ("pass.plan.finished", "home/merged.org"),
      ("pass.plan.finished", "org/merged.org"),
      ("pass.remote.applied", "org/merged.org"), ("pass.batch.starting", "org/gone.org"),
      ("tree.folder.removing", "home/folder/deep/new.org"),
    ])
  func lastMoment(failpoint: String, path: String) async throws {
    let workload = try Workload.everything()
    let outcome = try workload.runEditing(path, to: "* An edit at the last moment\n", at: failpoint)
    #expect(outcome.status < 128, "\(outcome.story)")
    for _ in 0..<3 { _ = try workload.sandbox.syncd("--once") }
    let store = workload.sandbox.store
    #expect(store == workload.sandbox.tree("home"))
    #expect(
      store.files.values.contains { String(decoding: $0, as: UTF8.self).contains("An edit at the last moment") },
      "\(outcome.story)\n\(store)")
    #expect(store.litter.isEmpty)
    try await workload.expectRecovery("an edit at \(failpoint)", isExact: false)
  }

  @Test("an edit between the last check and the exchange survives", arguments: ["home/a.org", "org/b.org"])
  func duringExchange(path: String) async throws {
    let workload = try Workload.little()
    let edit = "* An edit at the last moment\n"
    let outcome = try workload.runEditing(path, to: edit, at: "tree.file.exchanging")
    #expect(outcome.status < 128, "\(outcome.story)")
    for _ in 0..<3 { _ = try workload.sandbox.syncd("--once") }
    let store = workload.sandbox.store
    #expect(store == workload.sandbox.tree("home") && store.litter.isEmpty)
    #expect(store.files.values.contains { String(decoding: $0, as: UTF8.self).contains("An edit at the last moment") })
  }

  @Test(
    "a run that is killed at a system call is completed by the next one",
    arguments: [
      "renameat2", "fsync", "unlinkat", "mkdirat", "pwrite64", "write", "ftruncate", "rename", "fdatasync", "openat",
    ])
  func killAtSystemCall(name: String) async throws {
    guard try Command(["sh", "-c", "strace -o /dev/null true"]).run().status == 0 else {
      return skip("strace is not installed or not permitted; kills at system calls are not tested")
    }
    let workload = try Workload.everything()
    var place = 1
    var kills = 0
    while place < 4_000 {
      try workload.prepare()
      var command = workload.sandbox.command(["--once"])
      let inject = [
        "strace", "-f", "-o", "/dev/null", "-e", "trace=\(name)", "-e", "inject=\(name):signal=KILL:when=\(place)",
      ]
      command.words = inject.map { Array($0.utf8) } + command.words
      guard try command.run().status >= 128 else { break }
      try await workload.expectRecovery("killed at \(name) \(place)")
      kills += 1
      place += isSoak ? 1 : max(1, place / 2)
    }
    print("*** killed at \(kills) calls of \(name) ***")
  }
}

extension Command {
  fileprivate init(_ words: [String], environment: [String: String]) {
    self.init(words)
    self.environment.merge(environment) { $1 }
  }
}
