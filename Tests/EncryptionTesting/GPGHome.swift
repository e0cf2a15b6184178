import CipherGPG
import Foundation
public import ProgramTesting
public import SyncKit
import SyncKitTesting
import Testing

/// A home folder of gpg for one test.
public final class GPGHome: Sendable {
  public let scratch: ScratchFolder

  /// Nil if gpg is not installed.
  public init?() throws {
    guard ScratchFolder.has("gpg") else { return nil }
    scratch = ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/gnupg", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try GPGAgent.start(in: folder)
  }

  // The agent is ours, and ends when its folder is removed; asking it to end is only faster.
  deinit { _ = try? Command(["gpgconf", "--homedir", folder, "--kill", "all"]).run() }

  public var folder: String { scratch.path + "/gnupg" }

  public func gpg(_ arguments: String...) async throws { try await gpg(arguments) }

  public func gpg(_ arguments: [String]) async throws { try await scratch.succeed(program + arguments) }

  private var program: [String] { ["gpg", "--homedir", folder, "--batch", "--yes", "--quiet"] }

  public func makeKey(_ name: String, passphrase: String = "", expires: String = "never") async throws {
    try await gpg([
      "--pinentry-mode", "loopback", "--passphrase", passphrase, "--quick-gen-key", name, "future-default", "default",
      expires,
    ])
  }

  public func fingerprint(_ name: String) async throws -> String? {
    let output = try await scratch.run(program + ["--with-colons", "--fingerprint", name]).text
    return output.split(separator: "\n").first { $0.hasPrefix("fpr:") }?.split(separator: ":").last.map(String.init)
  }

  /// The ids of the keys that gpg finds in an encrypted file.
  public func keys(in file: String) async throws -> Set<String> {
    let text = try await scratch.run(program + ["--list-only", "--status-fd", "1", "-d", file]).text
    let lines = text.split(separator: "\n").filter { $0.contains(" ENC_TO ") }
    return Set(lines.map { String($0.split(separator: " ")[2]) })
  }

  /// The sealer for users' own files with these keys.
  public var files: any FileSealer {
    var settings = GPG.FileSettings()
    settings.homedir = SettingPath(stringLiteral: folder)
    return GPG.fileSealer(settings, .real)
  }

  public func cipher(_ recipients: [String]) async throws -> any Cipher {
    var settings = GPG.Settings()
    settings.recipients = recipients
    settings.homedir = SettingPath(stringLiteral: folder)
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: "/"))
    var parts = RemoteParts.inMemory()
    parts.runtime = .real
    return try await GPG(settings, context).open(parts)
  }

  /// The reason why no cipher can be created for these recipients; empty if one can.
  public func refusal(_ recipients: [String]) async throws -> String {
    do {
      _ = try await cipher(recipients)
      return ""
    } catch let error as SyncError {
      return error.code == .unauthorized ? error.message : "\(error.code)"
    }
  }
}
