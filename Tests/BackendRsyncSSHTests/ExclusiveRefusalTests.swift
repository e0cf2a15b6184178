import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("Exclusive mode on hosts that cannot provide it") struct ExclusiveRefusalTests {
  private func failure(of storage: RsyncStorage) async -> SyncError? {
    do throws(SyncError) { try await storage.createRoot() } catch { return error }
    return nil
  }

  @Test("a host without exclusive mode is refused in one sentence, before any change")
  func servers() async throws {
    guard let server = SFTPServer.path, SFTPServer.isAvailable else { return }
    let commands = [
      ("exit 1", "no sftp"), ("echo Welcome to the machine", "Welcome"), ("\(server) -P posix-rename", "posix-rename"),
      ("\(server) -P hardlink", "hardlink"),
    ]
    for (sftp, word) in commands {
      let folder = try await Folder()
      let shell = Folder.shell(sftp: "").replacing("exec  ;;", with: "\(sftp) ;;")
      let storage = try await folder.storage {
        $0.exclusive = true
        $0.ssh.sshCommand = ["/bin/sh", "-c", shell, "ssh"]
      }
      let error = await failure(of: storage)
      #expect(error?.code == .invalidSettings, "\(sftp): \(String(describing: error))")
      #expect(error?.message.contains("`exclusive`") == true && error?.message.contains(word) == true, "\(sftp)")
      #expect(error?.message.contains(folder.path) == true)
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test("a real sshd without sftp, or with a key that may not use it, is refused")
  func sshd() async throws {
    guard await Folder.isAvailable(.ssh), await Folder.isAvailable(.library) else { return }
    let without: SSHServer
    let restricted: SSHServer
    do {
      without = try await SSHServer(sftp: "none")
      restricted = try await SSHServer(allowing: { "rrsync \($0)" })
    } catch {
      return skip("sshd is unavailable: \(error)")
    }
    for way in [Folder.Transport.ssh, .library] {
      for server in [without, restricted] {
        let storage = try await Folder(way).storage {
          $0.exclusive = true
          $0.path = server === restricted ? "." : server.root
          $0.port = server.port
          $0.ssh.identityFile = SettingPath(stringLiteral: server.identity)
          $0.ssh.knownHosts = SettingPath(stringLiteral: server.knownHosts)
        }
        let error = await failure(of: storage)
        #expect(
          error?.code == .invalidSettings && error?.message.contains("no sftp") == true,
          "\(way): \(String(describing: error))")
        // Reading still works, because it moves nothing.
        #expect(try await storage.list(since: Known()).count == 0)
        let findings = try await storage.diagnose()
        #expect(findings.contains { $0.level == .problem && $0.text.contains("`exclusive`") }, "\(findings)")
      }
    }
  }

  @Test("a host whose sftp shows another folder than its rsync is detected, and nothing is staged there")
  func places() async throws {
    guard let server = SFTPServer.path, SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    try folder.make()
    let (parent, name) = (
      (folder.path as NSString).deletingLastPathComponent, (folder.path as NSString).lastPathComponent
    )
    let storage = try await folder.storage {
      $0.exclusive = true
      $0.path = name
      $0.ssh.sshCommand = ["/bin/sh", "-c", "cd '\(parent)'; " + Folder.shell(sftp: "env -C / \(server)"), "ssh"]
    }
    await #expect(throws: SyncError.self) {
      try await storage.write(Content([1]), to: try #require(SyncPath("a.org")), if: .absent)
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).isEmpty)
    let findings = try await storage.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains("absolute `path`") }, "\(findings)")
  }

  @Test("on a file system without hard links, nothing is moved and the staged files are removed")
  func links() async throws {
    guard let server = SFTPServer.path, SFTPServer.isAvailable else { return }
    guard try Command(["sh", "-c", "command -v strace"]).run().status == 0 else {
      return skip("strace is not installed")
    }
    let folder = try await Folder()
    let device = try await folder.device("one") { $0.exclusive = true }
    for name in ["a.org", "b/c.org"] { try await device.write("start\n", to: name) }
    await device.expectHealthyRun("first")
    let before = try folder.texts()
    // The error of Linux for a file system without hard links (link(2)).
    let sftp = "strace -f -qq -o /dev/null -e inject=link,linkat:error=EPERM \(server)"
    let storage = try await folder.storage(device.archive) {
      $0.exclusive = true
      $0.ssh.sshCommand = ["/bin/sh", "-c", Folder.shell(sftp: sftp), "ssh"]
    }
    for name in ["a.org", "b/c.org", "new/d.org"] { try await device.write("edited\n", to: name) }
    let report = await TestDevice("one", store: device.store, archive: device.archive, storage: storage).sync()
    #expect(report.result != .synced && "\(report)".contains("hard links"), "\(report)")
    #expect(try folder.texts() == before)
    let findings = try await storage.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains("hard links") }, "\(findings)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.allSatisfy { $0 == ReservedName.marker || !$0.contains(".syncd-") }, "\(names)")
    await device.expectHealthyRun("afterwards")
    #expect(try folder.texts() == (try await device.texts()))
  }

  @Test("doctor reports a host that cannot provide the mode, and one where it is enabled or possible")
  func doctor() async throws {
    guard SFTPServer.isAvailable else { return }
    let none = ["/bin/sh", "-c", Folder.shell(sftp: "false"), "ssh"]
    for (isExclusive, command, level, message) in [
      (true, nil, Finding.Level.good, "in force"), (false, nil, .note, "exclusive = true"),
      (false, none, .note, "not possible: the host offers no sftp"),
    ] {
      let folder = try await Folder()
      try folder.make()
      let storage = try await folder.storage {
        $0.exclusive = isExclusive
        $0.ssh.sshCommand = command ?? $0.ssh.sshCommand
      }
      let findings = try await storage.diagnose()
      #expect(findings.contains { $0.level == level && $0.text.contains(message) }, "\(findings)")
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).isEmpty)
    }
  }
}
