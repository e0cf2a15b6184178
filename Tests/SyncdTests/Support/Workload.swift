import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

/// The work of one run: a sandbox that is prepared repeatedly at the same place, the result of an undisturbed run, and
/// everything that must not be lost.
final class Workload: Sendable {
  let sandbox: Sandbox
  /// The files of both sides after an undisturbed run, and its exit status.
  let expected: Tree
  let status: Int32
  /// Every version that is live before the run.
  private let versions: Set<Digest>
  private let prepared: String

  /// - Parameters:
  ///   - agreed: The initial common files of both sides.
  ///   - edit: The subsequent changes on either side.
  init(settings: String = "", agreed: [String: String], edit: (Sandbox) throws -> Void) throws {
    sandbox = try Sandbox(settings: settings, inMemory: true)
    prepared = sandbox.path("prepared")
    if !agreed.isEmpty {
      try sandbox.write(Dictionary(uniqueKeysWithValues: agreed.map { ("org/\($0.key)", $0.value) }))
      try sandbox.once()
    }
    try edit(sandbox)
    let script =
      "mkdir prepared && cp -a org prepared/ && for i in state home; do [ ! -e $i ] || cp -a $i prepared/; done"
    try sandbox.shell(script)
    versions = Set(
      (Array(sandbox.store.files.values) + Array(sandbox.tree("home").files.values)).map { Digest(of: $0) })
    status = try sandbox.syncd("--once").status
    expected = sandbox.store
    guard [0, 3].contains(status), expected == sandbox.tree("home") else {
      throw TestFailure("the workload fails: exit \(status)\n\(expected)\n---\n\(sandbox.tree("home"))")
    }
  }

  /// Restores everything to the state before the run. The store's folder itself stays the same.
  func prepare() throws {
    let script = """
      rm -rf state home && find org -mindepth 1 -delete && cp -a prepared/org/. org/
      for i in state home; do [ ! -e prepared/$i ] || cp -a prepared/$i .; done
      """
    try sandbox.shell(script)
  }

  /// Runs with failpoints; returns the status.
  @discardableResult
  func run(failing plan: String) throws -> Int32 {
    try sandbox.syncd("--once", environment: ["SYNCD_FAILPOINTS": plan]).status
  }

  /// Prepares a run in which a file is edited when the run reaches `failpoint` for the first time.
  func runEditing(
    _ path: String, to text: String, at failpoint: String, adding others: String = ""
  ) throws -> Outcome {
    try prepare()
    try sandbox.shell("rm -f go go.reached")
    let plan = "\(failpoint)=pause(\(sandbox.path("go")))@first\(others)"
    let run = try sandbox.command(["--once"], environment: ["SYNCD_FAILPOINTS": plan]).start()
    try sandbox.waitForPause("go")
    try sandbox.write(text, to: path)
    try sandbox.write("", to: "go")
    return try run.wait()
  }

  /// The number of failpoints that an undisturbed run reaches.
  func places() throws -> Int {
    try KillSweep.count { place in
      try prepare()
      return try run(failing: "*=kill@nth(\(place))") == 137
    }
  }

  /// Runs normally until the state equals that of an undisturbed run, at most three times; nothing may be lost and nothing left
  /// behind.
  ///
  /// - Parameter mayLeaveFolders: True if an empty folder may remain that the disk could not remove: nothing is lost, and a
  ///   folder that can never be removed must not be tried again forever.
  func expectRecovery(
    _ what: @autoclosure () -> String, isExact: Bool = true, mayLeaveFolders: Bool = false
  ) async throws {
    func seen(_ tree: Tree) -> Tree { mayLeaveFolders ? tree.withoutEmptyFolders : tree }
    var outcome = try sandbox.syncd("--once")
    for _ in 0..<2 where outcome.status != status || seen(sandbox.store) != seen(sandbox.tree("home")) {
      outcome = try sandbox.syncd("--once")
    }
    let (store, remote) = (seen(sandbox.store), seen(sandbox.tree("home")))
    #expect(outcome.status == status, "\(what())\n\(outcome.story)")
    #expect(store == remote, "\(what()): the sides differ\n\(store)\n---\n\(remote)")
    if isExact { #expect(store == seen(expected), "\(what()): another outcome\n\(store)\n---\n\(expected)") }
    let litter = store.litter + remote.litter + sandbox.tree("state").names.filter { $0.hasSuffix(".tmp") }
    #expect(litter.isEmpty, "\(what()): \(litter)")
    let live = Set(store.files.values.map { Digest(of: $0) })
    let archive = try ReadOnlyArchive(in: sandbox.path("state"))
    for version in versions.subtracting(live) {
      let content = try await archive.content(version)?.bytes()
      #expect(content.map { Digest(of: $0) } == version, "\(what()): the version \(version) is lost")
    }
  }
}

extension Workload {
  private static let talk = "* Conference\n** TODO Draft the talk\nForty minutes.\n** TODO Book a room\n"

  /// New, changed, merged, conflicting, removed and renamed files and folders.
  static func everything() throws -> Workload {
    var agreed = Dictionary(uniqueKeysWithValues: (0..<12).map { ("other\($0).org", "* Other \($0)\n") })
    agreed.merge([
      "merged.org": "* A\none\n* B\ntwo\n", "marked.org": talk, "lines.txt": "1\n2\n3\n4\n", "apart.bin": "base\u{0}",
      "mine.org": "* Mine\n", "theirs.org": "* Theirs\n", "gone.org": "* Gone\n", "vanished.org": "* Vanished\n",
      "old.org": "* Old\ntext\n", "moved.org": "* Moved\ntext\n", "folder/deep/inside.org": "* Inside\n",
      "kind": "a file\n",
    ]) { $1 }
    return try Workload(agreed: agreed) { sandbox in
      try sandbox.write([
        "org/merged.org": "* A\nONE\n* B\ntwo\n", "home/merged.org": "* A\none\n* B\nTWO\n",
        "org/marked.org": talk.replacing("the talk", with: "the keynote"),
        "home/marked.org": talk.replacing("the talk", with: "the workshop"),
        "org/lines.txt": "one\n2\n3\n4\n", "home/lines.txt": "1\n2\n3\nfour\n", "org/apart.bin": "mine\u{0}",
        "home/apart.bin": "theirs\u{0}", "org/mine.org": "* Mine\nedited\n", "home/theirs.org": "* Theirs\nedited\n",
        "org/new.org": "* New\n", "home/arrived.org": "* Arrived\n", "org/a/b/new.org": "* New below\n",
        "home/c/d/arrived.org": "* Arrived below\n", "org/empty.org": "",
        "org/e/new.org": "* New, too\n", "home/f/arrived.org": "* Arrived, too\n",
        "home/moved.org": "* Moved\ntext\nedited\n",
      ])
      try sandbox.remove("org/gone.org", "home/vanished.org", "home/folder", "org/kind")
      try sandbox.move("org/old.org", "org/renamed/old.org")
      try sandbox.move("org/moved.org", "org/moved away.org")
      try sandbox.write("* In the folder\n", to: "org/kind/in.org")
    }
  }

  /// Two sides that have never been synced.
  static func meeting() throws -> Workload {
    try Workload(agreed: [:]) { sandbox in
      try sandbox.write([
        "org/mine.org": "* Mine\n", "home/theirs.org": "* Theirs\n", "org/same.org": "* Same\n",
        "home/same.org": "* Same\n",
        "org/both.org": "* One\n* Shared\n", "home/both.org": "* Shared\n* Two\n", "org/x.bin": "mine\u{0}",
        "home/x.bin": "theirs\u{0}", "org/d/a.org": "* A\n",
      ])
      // Too large for the database.
      try sandbox.write(Data(repeating: 7, count: 3 << 20), to: "org/large.bin")
      try sandbox.write(Data(repeating: 8, count: 3 << 20), to: "home/large2.bin")
    }
  }

  /// A file that is replaced by another one at once, and versions that need not be kept any longer.
  static func little() throws -> Workload {
    try Workload(agreed: ["a.org": "* A\n", "b.org": "* B\n"]) { sandbox in
      try sandbox.write(["org/a.org": "* A\nmine\n", "home/b.org": "* B\ntheirs\n"])
    }
  }

  /// A removal of one file from the remote, and nothing else.
  static func removal() throws -> Workload {
    try Workload(agreed: ["a.org": "* A\n", "b.org": "* B\n", "gone.org": "* Gone\n"]) { sandbox in
      try sandbox.shell("rm org/gone.org")
    }
  }
}

extension Sandbox {
  /// Runs a script in the sandbox's folder.
  @discardableResult func shell(_ script: String) throws -> String {
    var command = Command(["sh", "-c", script])
    command.folder = root
    let outcome = try command.run()
    guard outcome.status == 0 else { throw TestFailure("\(script)\n\(outcome.story)") }
    return outcome.text
  }
}
