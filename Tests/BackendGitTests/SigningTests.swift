import Foundation
import ProgramTesting
import SSHConnection
import SyncKit
import Testing

@testable import BackendGit

@Suite("Signed commits") struct SigningTests {
  @Test("git verifies a commit that is signed with ssh")
  func ssh() async throws {
    let folder = try Folder()
    let key = folder.path + "/key"
    try run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key])
    let allowed = try "test@example.org " + String(contentsOfFile: key + ".pub", encoding: .utf8)
    try allowed.write(toFile: folder.path + "/allowed", atomically: true, encoding: .utf8)
    let repo = try await repository {
      $0.sign = .ssh
      $0.signingKey = key
    }
    try git("-c", "gpg.ssh.allowedSignersFile=\(folder.path)/allowed", "verify-commit", "main", in: repo.path)
    try repo.expectSound()
  }

  @Test("git verifies a commit that is signed with gpg")
  func openPGP() async throws {
    let folder = try Folder()
    defer { _ = try? Command(["gpgconf", "--homedir", folder.path, "--kill", "all"]).run() }
    try GPGAgent.start(in: folder.path)
    try run([
      "gpg", "--homedir", folder.path, "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "test@example.org",
      "ed25519", "sign",
    ])
    let program = try folder.script("gpg", "exec gpg --homedir '\(folder.path)' \"$@\"")
    let repo = try await repository {
      $0.sign = .openpgp
      $0.signingKey = "test@example.org"
      $0.signingProgram = program
    }
    try git("-c", "gpg.program=\(program)", "verify-commit", "main", in: repo.path)
    try repo.expectSound()
  }

  @Test("a failing signing program prevents the commit and the push")
  func refusal() async throws {
    let folder = try Folder()
    let program = try folder.script("signer", "echo 'no secret key' >&2; exit 2")
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo) {
      $0.sign = .openpgp
      $0.signingProgram = program
    }
    try await device.write("* One\n", to: "a.org")
    let report = try await device.sync()
    let words = "\(report)"
    #expect(words.contains("no secret key") && words.contains("nothing was pushed"), "\(words)")
    #expect(try git("rev-list", "--all", "--count", in: repo.path) == "0\n")
  }

  /// A repository to which a device with these settings has pushed a commit.
  private func repository(_ change: (inout Git.Settings) -> Void) async throws -> Repo {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo, change)
    try await device.write("* One\n", to: "a.org")
    try await device.expectHealthyRun()
    return repo
  }
}

@Suite struct UpkeepTests {
  @Test("many loose objects are packed")
  func looseObjects() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let device = try TestDevice("one", on: repo)
    try await device.write("* 0\n", to: "0.org")
    try await device.expectHealthyRun()
    // gc --auto counts the objects in one of 256 folders and extrapolates.
    try git("config", "gc.auto", "256", in: device.mirrorPath)
    for number in 1...400 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.expectHealthyRun()
    let count = try git("count-objects", "-v", in: device.mirrorPath)
    #expect(count.hasPrefix("count: 0\n"), "\(count)")
    try await device.write("* changed\n", to: "1.org")
    try await device.expectHealthyRun()
    try repo.expectSound()
  }
}

/// A folder that is removed with its owner. Its name is short, because gpg has a socket in it.
private final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "s-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a shell script into the folder; returns its path.
  func script(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try writeProgram("#!/bin/sh\n\(text)\n", to: file)
    return file
  }
}
