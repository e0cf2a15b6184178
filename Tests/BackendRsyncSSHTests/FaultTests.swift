import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("Faults of a remote host") struct FaultTests {
  /// The error of listing if the command on the other side is `script`; `"$line"` is the requested command.
  private func complaint(_ script: String, _ folder: Folder? = nil) async throws -> SyncError {
    let folder = if let folder { folder } else { try await Folder() }
    try folder.make()
    let storage = try await folder.storage {
      $0.ssh.sshCommand = ["/bin/sh", "-c", "for line; do :; done; " + script, "ssh"]
    }
    do throws(SyncError) {
      let listing = try await storage.list(since: Known())
      Issue.record("it was listed: \(listing.count)")
      throw SyncError(.unexpected, "it was listed")
    } catch {
      return error
    }
  }

  /// The error of listing; nil on success.
  private func failure(of storage: RsyncStorage) async -> SyncError? {
    do throws(SyncError) { _ = try await storage.list(since: Known()) } catch { return error }
    return nil
  }

  @Test("a host whose shell prints before rsync starts is distinguished from an unreachable one")
  func noise() async throws {
    let error = try await complaint("echo 'Welcome to the machine'; exec /bin/sh -c \"$line\"")
    #expect(error.code == .invalidSettings && error.message.contains("Welcome to the machine"), "\(error)")
  }

  @Test("a host may print a greeting to standard error")
  func banner() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one") {
      $0.ssh.sshCommand = ["/bin/sh", "-c", "echo 'Authorized use only' >&2; " + Folder.shell, "ssh"]
    }
    try await device.write("one\n", to: "a.org")
    await device.expectHealthyRun()
    try await device.write("two\n", to: "a.org")
    await device.expectHealthyRun()
    #expect(try folder.texts() == ["a.org": "two\n"])
  }

  @Test("the error for a host without rsync says what to install")
  func missing() async throws {
    let folder = try await Folder()
    try folder.make()
    let storage = try await folder.storage { $0.rsyncPath = "/nonexistent/rsync" }
    let error = await failure(of: storage)
    #expect(error?.code == .invalidSettings && error?.message.contains("install rsync") == true)
  }

  @Test("a host with an old rsync is refused before any change", arguments: ["\\035", "\\036", "\\033"])
  func old(version: String) async throws {
    let error = try await complaint("printf '\(version)\\000\\000\\000'; cat >/dev/null")
    #expect(error.code == .invalidSettings && error.message.contains("31"), "\(error)")
  }

  @Test(
    "an unreachable host, a refused login and another host key are different errors",
    arguments: [
      ("echo 'ssh: connect to host here port 22: Connection refused' >&2; exit 255", SyncError.Code.unavailable),
      ("echo 'ann@here: Permission denied (publickey).' >&2; exit 255", .unauthorized),
      ("echo 'Host key verification failed.' >&2; exit 255", .unauthorized),
      ("exit 1", .unavailable), ("kill -9 $$", .unavailable), ("exec /bin/sh -c \"$line\" | head -c 40", .unavailable),
    ])
  func unreachable(script: String, code: SyncError.Code) async throws {
    let folder = try await Folder()
    try folder.make()
    for index in 0..<60 { try folder.write("x\n", to: "file \(index).org") }
    let error = try await complaint(script, folder)
    #expect(error.code == code, "\(error)")
  }

  @Test("the error for more files than the limit names the setting")
  func limit() async throws {
    let folder = try await Folder()
    for index in 0..<20 { try folder.write("x\n", to: "\(index).org") }
    let storage = try await folder.storage { $0.maxFiles = 10 }
    let error = await failure(of: storage)
    #expect(error?.code == .unavailable && error?.message.contains("max-files") == true)
  }

  @Test("a missing folder and a file in its place are errors")
  func roots() async throws {
    let folder = try await Folder()
    let storage = try await folder.storage()
    #expect(await failure(of: storage)?.code == .notFound)
    try Data("file\n".utf8).write(to: URL(filePath: folder.path))
    #expect(await failure(of: storage)?.code == .unavailable)
  }

  @Test("files below an unreadable folder do not count as deleted")
  func unreadable() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one") { $0.ssh.sshCommand = Permissions.binding + $0.ssh.sshCommand }
    for name in ["a.org", "locked/b.org"] { try await device.write("\(name)\n", to: name) }
    await device.expectHealthyRun()
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path + "/locked")
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path + "/locked") }
    let report = await device.sync()
    #expect(report.actions.contains { $0.detail.contains("cannot read") })
    #expect(try await device.texts().count == 2)
  }

  @Test("a link in place of a file stays, and the other files arrive")
  func obstacle() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    await device.expectHealthyRun()
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "/nonexistent")
    for name in ["link/b.org", "c.org"] { try await device.write("\(name)\n", to: name) }
    let report = await device.sync()
    #expect(report.notices.contains { $0.contains("link") && $0.contains("symbolic link") }, "\(report.notices)")
    #expect(folder.read("c.org") == "c.org\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/link") == "/nonexistent")
    let storage = try await folder.storage()
    for (name, reason) in [("link/b.org", "symbolic link"), ("c.org/d.org", "a file")] {
      let result = try await storage.write(Content([1]), to: try #require(SyncPath(name)), if: .absent)
      guard case .failed(let error) = result else { throw SyncError(.unexpected, "\(name): \(result)") }
      #expect(error.code == .pathFailed && error.message.contains(reason), "\(error)")
    }
  }

  @Test("a file that may be a leftover of rsync is reported, and one that was agreed on is synced")
  func leftovers() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one")
    for name in ["todo.txt", "list.txt", ".list.txt.backup"] { try await device.write("\(name)\n", to: name) }
    await device.expectHealthyRun("first")
    try folder.write("theirs\n", to: ".todo.txt.backup")
    for _ in 0..<2 {
      let report = await device.sync()
      #expect(report.notices.contains { $0.contains(".todo.txt.backup") && $0.contains("rsync") }, "\(report.notices)")
      #expect(!report.notices.contains { $0.contains("list.txt") }, "\(report.notices)")
    }
    #expect(try await device.texts().keys.sorted() == [".list.txt.backup", "list.txt", "todo.txt"])
    #expect(try folder.texts().keys.sorted() == [".list.txt.backup", ".todo.txt.backup", "list.txt", "todo.txt"])
  }

  @Test("a full host is reported, and nothing is lost")
  func full() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    await device.expectHealthyRun()
    // Files may not grow above the shell's `ulimit -f`, in blocks of 512 bytes or one kibibyte.
    let tight = TestDevice(
      "one", store: device.store, archive: device.archive,
      storage: try await folder.storage(device.archive) {
        $0.ssh.sshCommand = ["/bin/sh", "-c", "ulimit -f 8; " + Folder.shell, "ssh"]
      })
    var generator = SplitMix64(state: 3)
    let large = (0..<9_000).map { _ in "\(generator.next())\n" }.joined()
    try await tight.write(large, to: "large.org")
    let report = await tight.sync()
    #expect(report.result != .synced, "\(report.result)")
    #expect(folder.read("large.org") == nil)
    for _ in 0..<2 { _ = await device.sync() }
    #expect(folder.read("large.org") == large)
    #expect(try folder.texts().keys.allSatisfy { !$0.contains(".syncd-") })
  }

  @Test("everything works behind rrsync, and what it forbids is reported")
  func restricted() async throws {
    guard await Folder.isAvailable(.ssh) else { return }
    let server: SSHServer
    do { server = try await SSHServer(allowing: { "rrsync \($0)" }) } catch {
      return skip("sshd is unavailable: \(error)")
    }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/rrsync") else {
      return skip("rrsync is not installed")
    }
    let folder = try await Folder(.ssh)
    let device = try await folder.device("one") {
      $0.path = "."
      $0.port = server.port
      $0.ssh.identityFile = .init(stringLiteral: server.identity)
      $0.ssh.knownHosts = .init(stringLiteral: server.knownHosts)
    }
    for name in ["a.org", "b/c d.org", "gone.org"] { try await device.write("\(name)\n", to: name) }
    await device.expectHealthyRun("first")
    try await device.write("edited\n", to: "b/c d.org")
    try await device.remove("gone.org")
    await device.expectHealthyRun("second")
    let text = FileManager.default.contents(atPath: server.root + "/b/c d.org").map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(text == "edited\n")
    #expect(!FileManager.default.fileExists(atPath: server.root + "/gone.org"))
    let quiet = await device.sync()
    #expect(quiet.result == .synced && !quiet.didSomething)
  }

  @Test("behind a read-only rrsync files arrive, and the error says why nothing is sent")
  func readOnly() async throws {
    guard await Folder.isAvailable(.library) else { return }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/rrsync") else {
      return skip("rrsync is not installed")
    }
    let server: SSHServer
    do { server = try await SSHServer(allowing: { "rrsync -ro \($0)" }) } catch {
      return skip("sshd is unavailable: \(error)")
    }
    try Data("id abcdefghijklmnopqrstuvwxyz\n".utf8).write(to: URL(filePath: server.root + "/" + ReservedName.marker))
    let folder = try await Folder(.library)
    let device = try await folder.device("one") {
      $0.path = "."
      $0.port = server.port
      $0.ssh.identityFile = .init(stringLiteral: server.identity)
      $0.ssh.knownHosts = .init(stringLiteral: server.knownHosts)
    }
    try Data("there\n".utf8).write(to: URL(filePath: server.root + "/there.org"))
    try await device.write("here\n", to: "here.org")
    for _ in 0..<2 {
      let report = await device.sync()
      #expect(report.actions.contains { $0.path == SyncPath("here.org") && $0.detail.contains("key in use") })
    }
    #expect(try await device.texts()["there.org"] == "there\n")
    #expect(!FileManager.default.fileExists(atPath: server.root + "/here.org"))
  }
}
