import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd pause`: the service does not sync some remotes for a time.
struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Stop the service from syncing by itself.",
    discussion: """
      A pause outlasts a restart of the service. `syncd sync` and `syncd --once` sync paused remotes, too.
      """)

  @OptionGroup var common: CommonOptions
  @Option(name: .customLong("for"), help: "Duration, such as 30m or 2h. Default: until `syncd resume`.")
  var duration: TimeLimit?
  @Argument(help: ArgumentHelp("The remotes. Default: all.", valueName: "remote"), completion: .remotes)
  var remotes: [String] = []

  func run() throws {
    let configuration = try common.configuration()
    let names = try configuration.remotes(named: remotes).map(\.name)
    let end = duration.map {
      Timestamp(nanoseconds: Runtime.real.now().nanoseconds + Int64($0.duration / .nanoseconds(1)))
    }
    var request: JSON = ["do": "pause", "remotes": .array(names.map(JSON.string))]
    if let duration { request["for"] = .number(duration.duration / .seconds(1)) }
    try configuration.setPauses(request) { $0.pause(names, until: end) }
    if common.json { return Console.print(json: ["version": 1, "remotes": .array(names.map(JSON.string))]) }
    guard !common.quiet else { return }
    Console.print(
      "paused \(names.joined(separator: ", ")) " + (end.map { "until \(LocalTime($0))" } ?? "until `syncd resume`"))
  }
}

/// `syncd resume`: ends pauses.
struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let the service sync again after `syncd pause`.")

  @OptionGroup var common: CommonOptions
  @Argument(help: ArgumentHelp("The remotes. Default: all.", valueName: "remote"), completion: .remotes)
  var remotes: [String] = []

  func run() throws {
    let configuration = try common.configuration()
    let names = try configuration.remotes(named: remotes).map(\.name)
    let request: JSON = ["do": "resume", "remotes": .array(names.map(JSON.string))]
    try configuration.setPauses(request) { $0.resume(names) }
    if common.json { return Console.print(json: ["version": 1, "remotes": .array(names.map(JSON.string))]) }
    if !common.quiet { Console.print("resumed \(names.joined(separator: ", "))") }
  }
}

/// `syncd sync`: a pass now.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Sync now: by the service if one is running, else as with --once.")

  @OptionGroup var common: CommonOptions
  @Argument(help: ArgumentHelp("The remotes. Default: all.", valueName: "remote"), completion: .remotes)
  var remotes: [String] = []

  func run() async throws {
    let configuration = try common.configuration()
    let names = try configuration.remotes(named: remotes).map(\.name)
    let state = StateFolder(path: configuration.stateFolder)
    guard let service = ControlSocket.connected(to: state) else {
      return try await RootCommand.runOnce(configuration, common, remotes: remotes)
    }
    let request: JSON = ["do": "sync", "remotes": .array(names.map(JSON.string))]
    guard service.write(line: request.line), let line = service.readLine(atMost: 1 << 26) else {
      throw SyncError(.unavailable, "the service ended before it had synced; run the command again")
    }
    let answer = try Answer(line)
    if common.json { Console.print(line) } else { for line in answer.text ?? [] { Console.print(line) } }
    throw ExitCode(answer.exitStatus ?? 1)
  }

  /// What is needed of the service's answer.
  private struct Answer: Decodable {
    var error: String?
    var text: [String]?
    var exitStatus: Int32?

    private enum CodingKeys: String, CodingKey {
      case error, text
      case exitStatus = "exit-status"
    }

    init(_ line: String) throws {
      self = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
      if let error { throw SyncError(.unexpected, "the service cannot sync: \(error)") }
    }
  }
}

extension DaemonConfiguration {
  /// Changes which remotes are paused: by the service if one is running, so that it acts on it at once.
  fileprivate func setPauses(_ request: JSON, _ change: (inout Pauses) -> Void) throws {
    let state = StateFolder(path: stateFolder)
    if let service = ControlSocket.connected(to: state) {
      guard service.write(line: request.line), service.readLine() == JSON.accepted.line else {
        throw SyncError(.unavailable, "the service did not accept the request; run the command again")
      }
      return
    }
    try state.create()
    var pauses = state.pauses
    change(&pauses)
    try state.record(pauses)
  }
}
