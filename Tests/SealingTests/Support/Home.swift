import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherGPG

/// A home of gpg for one test.
final class Home: Sendable {
  let bench: Bench

  /// Nil, with a word, where there is no gpg.
  init?() throws {
    guard Bench.has("gpg") else { return nil }
    bench = try Bench()
    try FileManager.default.createDirectory(
      atPath: bench.path + "/gnupg", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  // The agent is ours, and ends by itself when its folder is gone; asking it to is only quicker.
  deinit { _ = try? Command(["gpgconf", "--homedir", folder, "--kill", "all"]).run() }

  var folder: String { bench.path + "/gnupg" }

  func gpg(_ words: String...) async throws { try await gpg(words) }

  func gpg(_ words: [String]) async throws { try await bench.succeed(arguments + words) }

  private var arguments: [String] { ["gpg", "--homedir", folder, "--batch", "--yes", "--quiet"] }

  func makeKey(_ name: String, passphrase: String = "", expires: String = "never") async throws -> Bool {
    try await bench.succeed(
      arguments + [
        "--pinentry-mode", "loopback", "--passphrase", passphrase, "--quick-gen-key", name, "future-default", "default",
        expires,
      ])
    return true
  }

  func fingerprint(_ name: String) async throws -> String? {
    let output = try await bench.run(arguments + ["--with-colons", "--fingerprint", name]).text
    return output.split(separator: "\n").first { $0.hasPrefix("fpr:") }?.split(separator: ":").last.map(String.init)
  }

  /// The ids of the keys that gpg finds in a sealed file.
  func keys(in file: String) async throws -> Set<String> {
    let text = try await bench.run(arguments + ["--list-only", "--status-fd", "1", "-d", file]).text
    let lines = text.split(separator: "\n").filter { $0.contains(" ENC_TO ") }
    return Set(lines.map { String($0.split(separator: " ")[2]) })
  }

  /// What opens files of people, with these keys.
  var files: GPGFiles { GPGFiles(keyring: Keyring(homedir: folder), sleep: World.real.sleep) }

  func cipher(_ recipients: [String]) async throws -> any Cipher {
    var settings = GPG.Settings()
    settings.recipients = recipients
    settings.homedir = SettingPath(stringLiteral: folder)
    let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: "/"))
    return try await GPG(settings, context).open(.inMemoryNow())
  }

  func refusal(_ recipients: [String]) async throws -> String {
    do {
      _ = try await cipher(recipients)
      return ""
    } catch let error as SyncError {
      return error.code == .unauthorized ? error.message : "\(error.code)"
    }
  }
}

extension RemoteParts {
  fileprivate static func inMemoryNow() -> RemoteParts {
    var parts = RemoteParts.inMemory()
    parts.world = .real
    return parts
  }
}
