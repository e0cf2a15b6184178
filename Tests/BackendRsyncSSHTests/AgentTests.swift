import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// A real ssh-agent with a key that the server accepts. It is stopped with its owner.
private final class Agent: Sendable {
  private let folder: String
  private let id: pid_t
  var socket: String { folder + "/agent" }

  /// - Parameter asks: True if the agent asks before each use of the key, and never gets an answer.
  init(_ key: String, asks: Bool) throws {
    folder = NSTemporaryDirectory() + "agent-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let query = folder + "/ask"
    try writeProgram("#!/bin/sh\nexec sleep infinity\n", to: query)
    var start = Command(["ssh-agent", "-s", "-a", folder + "/agent"])
    start.environment.merge(["SSH_ASKPASS": query, "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"]) { $1 }
    let said = try start.run().text
    guard let match = said.firstMatch(of: /SSH_AGENT_PID=([0-9]+)/), let id = pid_t(match.1) else {
      throw TestFailure("ssh-agent did not start: \(said)")
    }
    self.id = id
    var add = Command(["ssh-add", "-q"] + (asks ? ["-c"] : []) + [key])
    add.environment["SSH_AUTH_SOCK"] = folder + "/agent"
    try add.succeed()
  }

  func freeze() { kill(id, SIGSTOP) }

  deinit {
    for signal in [SIGCONT, SIGTERM] { kill(id, signal) }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

@Suite("ssh-agent") struct AgentTests {
  /// The error of listing a folder if only the agent has the key; nil on success.
  private func failure(_ agent: Agent, _ server: SSHServer, timeout: Duration) async throws -> SyncError? {
    let folder = try await Folder(.library)
    try folder.make()
    // The keys of this account must not be used: the test folder contains none.
    let home = NSTemporaryDirectory() + "home-\(UUID().uuidString.prefix(8))"
    let storage = try await folder.storage(environment: ["SSH_AUTH_SOCK": agent.socket, "HOME": home]) {
      $0.ssh.identityFile = nil
      $0.timeout = timeout
    }
    do throws(SyncError) { _ = try await storage.list(since: Known()) } catch { return error }
    return nil
  }

  @Test("an agent that holds the key logs us in")
  func agent() async throws {
    guard await Folder.isAvailable(.library), let server = try await Folder(.library).server else { return }
    let agent = try Agent(server.identity, asks: false)
    #expect(try await failure(agent, server, timeout: .seconds(60)) == nil)
  }

  @Test("an agent that does not answer is abandoned and named", arguments: [true, false])
  func silent(asks: Bool) async throws {
    guard await Folder.isAvailable(.library), let server = try await Folder(.library).server else { return }
    let agent = try Agent(server.identity, asks: asks)
    if !asks { agent.freeze() }
    let error = try await failure(agent, server, timeout: .seconds(2))
    #expect([.unauthorized, .unavailable].contains(error?.code), "\(String(describing: error))")
    if error?.code == .unauthorized {
      #expect(error?.message.contains("did not answer") == true, "\(error?.message ?? "")")
    }
  }
}
