import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// A file that gets another name is moved on the remote host, and whatever others write meanwhile stays.
@Suite("Renamed files behind rsync") struct RenameTests {
  /// A device that has synced `files` with a folder, whose host records each command.
  private struct Setup {
    let folder: Folder
    let device: TestDevice
    let isExclusive: Bool
    private let log = NSTemporaryDirectory() + "commands-\(UUID().uuidString)"

    /// - Parameter user: A program, with its arguments, that runs the commands of the host with other rights.
    init(
      _ files: [String: String], isExclusive: Bool = false, sftp: String? = nil, rsync: String? = nil,
      as user: [String] = []
    ) async throws {
      let folder = try await Folder()
      self.folder = folder
      self.isExclusive = isExclusive
      let device = try await folder.device("one") { $0.exclusive = isExclusive }
      for (name, text) in files { try await device.write(text, to: name) }
      await device.expectHealthyRun("first")
      let shell =
        "for line; do :; done; echo \"$line\" >>'\(log)'; "
        + Folder.shell(sftp: sftp.map { $0.replacing("FOLDER", with: "\(folder.path)") } ?? SFTPServer.path ?? "false")
      let storage = try await folder.storage(device.archive) {
        $0.exclusive = isExclusive
        $0.ssh.sshCommand = user + ["/bin/sh", "-c", shell, "ssh"]
        if let rsync { $0.rsyncPath = rsync }
      }
      self.device = TestDevice("one", store: device.store, archive: device.archive, storage: storage)
    }

    func rename(_ names: KeyValuePairs<String, String>) async throws {
      for (old, new) in names {
        let text = try await device.texts()[old]
        try await device.write(#require(text), to: new)
        try await device.remove(old)
      }
    }

    /// Syncs; returns the number of bytes sent, and of the commands that the host ran.
    func sync() async throws -> (bytes: Int, commands: Int) {
      try Data().write(to: URL(filePath: log))
      let report = await device.sync()
      #expect(report.result == .synced, "\(report.failure?.message ?? "") \(report.actions)")
      let commands = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
      return (report.bytes.up, commands)
    }

    /// The number that identifies a file on its disk, whatever its name.
    func identity(_ name: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
      return try #require(attributes[.systemFileNumber] as? Int)
    }

    /// Expects that the folder, this device and a new one have these files, and no other.
    func expect(
      _ files: [String: String], _ comment: Comment = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      for _ in 0..<3 { _ = await device.sync() }
      await device.expectHealthyRun("later")
      let other = try await folder.device("other") { $0.exclusive = isExclusive }
      await other.expectHealthyRun("other")
      #expect(try await device.texts() == files, comment, sourceLocation: sourceLocation)
      #expect(try await other.texts() == files, comment, sourceLocation: sourceLocation)
      #expect(try folder.texts() == files, comment, sourceLocation: sourceLocation)
      let quiet = await device.sync()
      #expect(!quiet.didSomething, comment, sourceLocation: sourceLocation)
    }
  }

  private static func files(_ count: Int, in folder: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(folder)/f\($0).org", "* file \($0)\n") })
  }

  @Test("a renamed file is moved, not sent", arguments: [false, true])
  func moved(isExclusive: Bool) async throws {
    guard SFTPServer.isAvailable else { return }
    let setup = try await Setup(["a.org": "* a\n", "b/c.org": "* c\n", "d.org": "* d\n"], isExclusive: isExclusive)
    let before = try ["a.org", "b/c.org"].map(setup.identity)
    try await setup.rename(["a.org": "new/folder/a b.org", "b/c.org": "c.org"])
    #expect(try await setup.sync().bytes == 0)
    #expect(try ["new/folder/a b.org", "c.org"].map(setup.identity) == before)
    try await setup.expect(["new/folder/a b.org": "* a\n", "c.org": "* c\n", "d.org": "* d\n"])
  }

  @Test("a renamed folder sends nothing, and takes as many commands as one file", arguments: [false, true])
  func folder(isExclusive: Bool) async throws {
    guard SFTPServer.isAvailable else { return }
    var costs: [Int] = []
    for count in [1, 500] {
      let setup = try await Setup(Self.files(count, in: "old"), isExclusive: isExclusive)
      try await setup.rename(["old/f0.org": "first.org"])
      #expect(try await setup.sync().bytes == 0)
      for number in 1..<count { try await setup.rename(["old/f\(number).org": "new/f\(number).org"]) }
      try await setup.rename(["first.org": "new/f0.org"])
      let (bytes, commands) = try await setup.sync()
      #expect(bytes == 0)
      costs.append(commands)
      try await setup.expect(Self.files(count, in: "new"))
    }
    print("*** commands for renaming 1 and 500 files: \(costs) ***")
    #expect(costs[0] == costs[1])
  }

  @Test("a renamed folder costs a few commands, and no content", arguments: [false, true])
  func cost(isExclusive: Bool) async throws {
    guard SFTPServer.isAvailable else { return }
    let (folder, archive, log) = (try await Folder(), MemoryArchive(), NSTemporaryDirectory() + UUID().uuidString)
    // What a command reads goes through tee, which writes it to the log first.
    let shell =
      "for line; do :; done; echo \"$line\" >>'\(log)'; exec < <(exec 3>&1 2>/dev/null; tee /dev/fd/3 >>'\(log).sent'); "
    let storage = try await folder.storage(archive) {
      $0.exclusive = isExclusive
      $0.ssh.sshCommand = ["bash", "-c", shell + Folder.shell, "ssh"]
    }
    let device = TestDevice("one", archive: archive, storage: storage)
    let name = isExclusive ? "rsync, exclusive" : "rsync"
    let rename = try await FolderRename(name, in: "command", by: device) {
      let commands = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
      return (commands, try Data(contentsOf: URL(filePath: log + ".sent")).count)
    }
    #expect(rename.isMove && rename.moved.units <= rename.replaced.units + 2, "\(rename)")
  }

  @Test(
    "without sftp, or without hard links, renamed files are sent and removed",
    arguments: [
      "false", "python3 -c 'import sys; sys.exit(1)'",
    ])
  func withoutSFTP(sftp: String) async throws {
    let setup = try await Setup(Self.files(3, in: "old"), sftp: sftp)
    try await setup.rename(["old/f0.org": "a.org", "old/f1.org": "b.org", "old/f2.org": "c.org"])
    #expect(try await setup.sync().bytes == 27)
    try await setup.expect(["a.org": "* file 0\n", "b.org": "* file 1\n", "c.org": "* file 2\n"])
  }

  @Test("files that exchange their names, and a file that becomes a folder, arrive", arguments: [false, true])
  func exchanged(isExclusive: Bool) async throws {
    guard SFTPServer.isAvailable else { return }
    let setup = try await Setup(
      ["a.org": "* a\n", "b.org": "* b\n", "c": "* c\n", "d.org": "* d\n"], isExclusive: isExclusive)
    try await setup.rename(["a.org": "x", "b.org": "a.org", "x": "b.org", "c": "y", "y": "c/c", "d.org": "D.org"])
    try await setup.expect(["a.org": "* b\n", "b.org": "* a\n", "c/c": "* c\n", "D.org": "* d\n"])
  }

  // MARK: Other writers

  /// The moments around the link that names `b.org`; two links before it test if links can be made.
  private static let moments = ["before lstat:1", "before hardlink:3", "after hardlink:3"]

  /// An sftp server with an action of another writer at a moment, once.
  private static func sftp(_ moment: String, _ script: String) -> String {
    let flag = NSTemporaryDirectory() + "flag-\(UUID().uuidString)"
    let parts = moment.split(separator: " ").map(String.init)
    return SFTPServer.proxy(parts[0], parts[1], "[ -e \(flag) ] || { : >\(flag); cd FOLDER; \(script); :; }")
  }

  /// An rsync with an action of another writer around the command that removes the old name.
  private static func rsync(_ script: String, before: Bool) throws -> String {
    let path = NSTemporaryDirectory() + "rsync-\(UUID().uuidString)"
    let happening = "[ -e \(path).flag ] || { : >\(path).flag; (cd \"$folder\"; \(script)); }"
    let text = """
      #!/bin/sh
      for folder; do :; done
      case "$*" in
        *--sender*--remove-source-files*) \(before ? happening : ":")
          rsync "$@"; status=$?; \(before ? ":" : happening); exit $status ;;
        *) exec rsync "$@" ;;
      esac
      """
    try writeProgram(text, to: path)
    return path
  }

  @Test("a file whose old name cannot be removed is sent, so that two names never share one file")
  func unremovable() async throws {
    guard SFTPServer.isAvailable else { return }
    let setup = try await Setup(["o/a.org": "* a\n", "z.org": "* z\n"], as: Permissions.binding)
    let folder = setup.folder.path
    try Command(["chmod", "555", "\(folder)/o"]).succeed()
    try await setup.rename(["o/a.org": "b.org"])
    for _ in 0..<2 {
      let report = await setup.device.sync()
      #expect(report.counts.failed == 1, "\(report.failure?.message ?? "") \(report.actions)")
    }
    #expect(try setup.folder.texts() == ["o/a.org": "* a\n", "b.org": "* a\n", "z.org": "* z\n"])
    #expect(try setup.identity("o/a.org") != setup.identity("b.org"))
    try Command(["chmod", "755", "\(folder)/o"]).succeed()
    try await setup.expect(["b.org": "* a\n", "z.org": "* z\n"])
  }

  private static let edits = [#"echo "* theirs" >.b; mv .b a.org"#, #"echo "* theirs" >a.org"#]

  @Test(
    "an edit on the host follows the file to its new name, and exists once", arguments: moments + ["rsync"], edits)
  func edited(moment: String, edit: String) async throws {
    guard SFTPServer.isAvailable else { return }
    for isExclusive in [false, true] where moment != "rsync" || !isExclusive {
      let setup = try await Setup(
        ["a.org": "* a\n", "z.org": "* z\n"], isExclusive: isExclusive,
        sftp: moment == "rsync" ? nil : Self.sftp(moment, edit),
        rsync: moment == "rsync" ? try Self.rsync(edit, before: true) : nil)
      try await setup.rename(["a.org": "b.org"])
      _ = await setup.device.sync()
      try await setup.expect(["b.org": "* theirs\n", "z.org": "* z\n"], "\(moment) \(isExclusive)")
    }
  }

  @Test("a file that another writer has put under the new name stays", arguments: moments)
  func taken(moment: String) async throws {
    guard SFTPServer.isAvailable else { return }
    for isExclusive in [false, true] {
      let setup = try await Setup(
        ["a.org": "* a\n", "z.org": "* z\n"], isExclusive: isExclusive,
        sftp: Self.sftp(moment, #"echo "* theirs" >.b; mv .b b.org"#))
      try await setup.rename(["a.org": "b.org"])
      for _ in 0..<3 { _ = await setup.device.sync() }
      let texts = try setup.folder.texts()
      #expect(texts["a.org"] == nil, "\(texts)")
      for text in ["* a\n", "* theirs\n"] {
        #expect(texts.values.count { $0.contains(text) } == 1, "\(moment) \(isExclusive): \(texts)")
      }
      #expect(try await setup.device.texts() == texts)
    }
  }

  @Test("a file that another writer removes meanwhile gets its new name", arguments: moments)
  func removed(moment: String) async throws {
    guard SFTPServer.isAvailable else { return }
    for isExclusive in [false, true] {
      let setup = try await Setup(
        ["a.org": "* a\n", "z.org": "* z\n"], isExclusive: isExclusive, sftp: Self.sftp(moment, "rm -f a.org"))
      try await setup.rename(["a.org": "b.org"])
      _ = await setup.device.sync()
      try await setup.expect(["b.org": "* a\n", "z.org": "* z\n"], "\(moment) \(isExclusive)")
    }
  }

  @Test("a rename on the host meets an edit of the file here, and a new file with its new name here")
  func renamedThere() async throws {
    let setup = try await Setup(["a.org": "* a\n", "c.org": "* c\n", "z.org": "* z\n"])
    let names = setup.folder.path
    try FileManager.default.moveItem(atPath: names + "/a.org", toPath: names + "/b.org")
    try FileManager.default.moveItem(atPath: names + "/c.org", toPath: names + "/d.org")
    try await setup.device.write("* ours\n", to: "a.org")
    try await setup.device.write("* ours too\n", to: "d.org")
    for _ in 0..<3 { _ = await setup.device.sync() }
    let texts = try setup.folder.texts()
    #expect(texts["b.org"] == "* ours\n" && texts["a.org"] == nil && texts["c.org"] == nil, "\(texts)")
    for text in ["* c\n", "* ours too\n"] { #expect(texts.values.count { $0.contains(text) } == 1, "\(texts)") }
    #expect(try await setup.device.texts() == texts)
  }

  // MARK: Interruptions

  @Test(
    "after the connection breaks at any step, the file has its new name once",
    arguments: ["before mkdir", "before hardlink:3", "after hardlink:3", "after hardlink:1", "after remove"])
  func cuts(moment: String) async throws {
    guard SFTPServer.isAvailable else { return }
    for isExclusive in [false, true] {
      let setup = try await Setup(
        ["a.org": "* a\n", "z.org": "* z\n"], isExclusive: isExclusive, sftp: Self.sftp(moment, "exit 1"))
      try await setup.rename(["a.org": "n/b.org"])
      _ = await setup.device.sync()
      try await setup.expect(["n/b.org": "* a\n", "z.org": "* z\n"], "\(moment) \(isExclusive)")
    }
  }
}
