import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// Prints prominently that a test was skipped.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }

/// A folder that a real rsync serves: over pipes, where ssh is a shell that runs the command locally, or over real sshd. It is
/// removed with its owner.
final class Folder: Sendable {
  enum Transport: String, CaseIterable, Sendable {
    case pipes, ssh, library
  }

  let path: String
  private let way: Transport
  let server: SSHServer?

  /// A local shell that runs a command, or serves a subsystem, that ssh would request from a remote host.
  static let shell = shell(sftp: SFTPServer.path ?? "false")

  /// The same with `sftp` as the command that serves sftp.
  static func shell(sftp: String) -> String {
    "for line; do :; done; case \" $* \" in *\" -s \"*) exec \(sftp) ;; *) exec /bin/sh -c \"$line\" ;; esac"
  }

  init(_ way: Transport = .pipes) async throws {
    self.way = way
    server = way == .pipes ? nil : try await Self.server.value.get()
    path = (server?.root ?? NSTemporaryDirectory()) + "/folder-\(UUID().uuidString.prefix(8))"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The server that most tests share.
  private static let server = Task { () -> Result<SSHServer, any Error> in
    do { return .success(try await SSHServer()) } catch { return .failure(error) }
  }

  /// Returns true if folders of this kind are available; otherwise prints the reason.
  static func isAvailable(_ way: Transport) async -> Bool {
    guard way != .pipes, case .failure(let error) = await server.value else { return true }
    skip("sshd is unavailable: \(error)")
    return false
  }

  /// The settings for connecting to it.
  func settings(_ change: (inout RsyncSSH.Settings) -> Void = { _ in }) -> RsyncSSH.Settings {
    var settings = RsyncSSH.Settings()
    settings.path = path
    if let server {
      settings.host = "127.0.0.1"
      (settings.user, settings.port) = (server.user, server.port)
      settings.ssh.identityFile = SettingPath(stringLiteral: server.identity)
      settings.ssh.knownHosts = SettingPath(stringLiteral: server.knownHosts)
      settings.ssh.sshCommand = ["ssh", "-F", "/dev/null"]
      settings.ssh.transport = way == .ssh ? .sshCommand : .libssh2
    } else {
      settings.ssh.transport = .sshCommand
      settings.host = "here"
      settings.ssh.sshCommand = ["/bin/sh", "-c", Self.shell, "ssh"]
    }
    change(&settings)
    return settings
  }

  func storage(
    _ archive: MemoryArchive = MemoryArchive(), device: String = "one", runtime: Runtime = .real,
    largestFile: Int = 1 << 30, environment: [String: String] = [:],
    _ change: (inout RsyncSSH.Settings) -> Void = { _ in }
  ) async throws -> RsyncStorage {
    let parts = RemoteParts(
      name: "test", device: Device(id: device, name: device), runtime: runtime, contents: archive,
      journal: archive.journal(of: "test"))
    let variables = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
      .merging(environment) { $1 }
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: "/", variables: variables))
    var backend = RsyncSSH(settings(change), context)
    backend.largestFile = largestFile
    return try await backend.storage(parts)
  }

  /// A device with a store in memory that syncs with the folder.
  func device(
    _ name: String, largestFile: Int = 1 << 30, _ change: (inout RsyncSSH.Settings) -> Void = { _ in }
  ) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(archive, device: name, largestFile: largestFile, change)
    return TestDevice(name, archive: archive, storage: storage)
  }

  // MARK: Contents

  func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  /// Writes a file like a user on the remote host: in place, or by replacing it with a new file.
  func write(_ text: String, to name: String, inPlace: Bool = true) throws {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    // Foundation's temporary file would briefly be visible beside the old one.
    let written = inPlace ? file : path + ".new"
    try Data(text.utf8).write(to: URL(filePath: written))
    if inPlace { return }
    guard unsafe rename(written, file) == 0 else { throw TestFailure("cannot rename the new \(name): error \(errno)") }
  }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The texts of all files except the marker, including temporary ones.
  func texts() throws -> [String: String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    var texts: [String: String] = [:]
    for name in names where name != ReservedName.marker {
      var isFolder: ObjCBool = false
      guard unsafe FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder),
        !isFolder.boolValue
      else {
        continue
      }
      texts[name] = read(name)
    }
    return texts
  }
}

/// OpenSSH's sftp server, if it is installed.
enum SFTPServer {
  static let path = ["/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/libexec/sftp-server"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// True if it is available; prints a message if not.
  static var isAvailable: Bool {
    if path == nil { skip("sftp-server is not installed") }
    return path != nil
  }

  /// A command that serves sftp and runs an action: see `sftp-proxy.py`.
  static func proxy(_ moment: String, _ request: String, _ command: String) -> String {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "sftp-proxy.py").path
    return "python3 '\(script)' \(moment) \(request) '\(command)' \(path ?? "false")"
  }
}

extension TestDevice {
  func remove(_ name: String) async throws { await store.take(try #require(SyncPath(name))) }

  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) async {
    let report = await sync()
    #expect(
      [.synced, .conflicts].contains(report.result),
      "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })",
      sourceLocation: sourceLocation)
  }
}
