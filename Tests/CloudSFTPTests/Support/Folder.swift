import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudSFTP

/// A folder that an sftp server serves: a real server over ssh, or any command over pipes, where ssh is a shell that runs it. It
/// is removed with its owner.
final class Folder: Sendable {
  /// The path on this machine.
  let path: String
  private let remotePath: String
  private let host: SFTPHost?
  private let command: String

  /// OpenSSH's sftp server.
  static let openssh = ["/usr/lib/openssh/sftp-server", "/usr/lib/sftp-server", "/usr/libexec/sftp-server"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// A folder of its own on a server.
  init(on host: SFTPHost) {
    let name = "folder-\(UUID().uuidString.prefix(8))"
    (self.host, command) = (host, "")
    (path, remotePath) = (host.root + "/" + name, host.remoteRoot + "/" + name)
  }

  /// A folder that `command` serves; OpenSSH's server by default.
  init(servedBy command: String? = nil) throws {
    guard let command = command ?? Self.openssh else { throw TestFailure("OpenSSH's sftp-server is not installed") }
    path = NSTemporaryDirectory() + "sftp-folder-\(UUID().uuidString.prefix(8))"
    (remotePath, host, self.command) = (path, nil, command)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func settings() -> SFTP.Settings {
    var settings = SFTP.Settings()
    settings.path = remotePath
    guard let host else {
      settings.host = "here"
      settings.ssh.transport = .sshCommand
      settings.ssh.sshCommand = ["/bin/sh", "-c", "exec \(command)", "ssh"]
      return settings
    }
    settings.host = "127.0.0.1"
    (settings.user, settings.port) = (host.user, host.port)
    settings.ssh.identityFile = SettingPath(stringLiteral: host.identity)
    settings.ssh.knownHosts = SettingPath(stringLiteral: host.knownHosts)
    settings.ssh.transport = .libssh2
    return settings
  }

  func storage(
    journal: any Journal = TestJournal(), contents: any ContentLibrary = MemoryContents(), device: String = "one",
    isReceiveOnly: Bool = false, _ change: (inout SFTP.Settings) -> Void = { _ in }
  ) async throws -> SFTPStorage {
    var settings = settings()
    change(&settings)
    let variables = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
    let context = PluginContext(
      table: "remotes.test.sftp", environment: SettingsEnvironment(folder: "/", variables: variables))
    var parts = RemoteParts(
      name: "test", device: Device(id: device, name: device), runtime: .real, contents: contents, journal: journal)
    parts.isReceiveOnly = isReceiveOnly
    guard let storage = try await SFTP(settings, context).open(parts) as? SFTPStorage else {
      throw TestFailure("the plugin opened another storage")
    }
    return storage
  }

  /// A device with a store in memory that syncs with the folder.
  func device(
    _ name: String, _ change: (inout SFTP.Settings) -> Void = { _ in }
  ) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(
      journal: archive.journal(of: "test"), contents: archive.library, device: name, change)
    return TestDevice(name, archive: archive, storage: storage)
  }

  /// Another connection of a device.
  func storage(
    of device: TestDevice, _ change: (inout SFTP.Settings) -> Void = { _ in }
  ) async throws -> SFTPStorage {
    try await storage(
      journal: device.archive.journal(of: "test"), contents: device.archive.library, device: device.name, change)
  }

  // MARK: Contents

  func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  /// Writes a file like another program on the host, which renames it into place.
  func write(_ text: String, to name: String) throws {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    let new = path + ".new-\(UUID().uuidString.prefix(8))"
    try Data(text.utf8).write(to: URL(filePath: new))
    guard unsafe rename(new, file) == 0 else { throw TestFailure("cannot rename the new \(name): error \(errno)") }
  }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The texts of all files except the marker, including temporary ones.
  func allTexts() -> [String: String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      names.compactMap { name in
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder),
          !isFolder.boolValue,
          name != ReservedName.marker, let text = read(name)
        else { return nil }
        return (name, text)
      }, uniquingKeysWith: { $1 })
  }
}

extension Folder: RemoteEditor {
  func put(_ text: String, at name: String) async throws { try write(text, to: name) }

  func remove(_ name: String) async throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

  func texts() async throws -> [String: String] { allTexts().filter { !$0.key.contains(".syncd-") } }
}

func path(_ text: String) throws -> SyncPath {
  guard let path = SyncPath(text) else { throw TestFailure("\(text) is not a path") }
  return path
}

func content(_ text: String) -> Content { Content(Array(text.utf8)) }

extension Storage {
  /// The text of a file; nil if there is none.
  func text(of name: String) async throws -> String? {
    let sink = MemorySink(limit: 1 << 20)
    switch try await read(file: path(name), into: sink) {
    case .read: return String(decoding: sink.bytes, as: UTF8.self)
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }
}

extension WriteResult {
  /// The entry of a change that was made.
  func done() throws -> Entry {
    guard case .done(let entry?) = self else { throw TestFailure("not done: \(self)") }
    return entry
  }
}

extension TestDevice {
  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String) async throws {
    let report = await sync()
    guard [.synced, .conflicts].contains(report.result) else {
      throw TestFailure(
        "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })"
      )
    }
  }
}
