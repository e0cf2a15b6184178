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
    let stores = try common.stores(of: remotes)
    let end = duration.map {
      Timestamp(nanoseconds: Runtime.real.now().nanoseconds + Int64($0.duration / .nanoseconds(1)))
    }
    let names = try stores.flatMap { store in
      let names = store.names(among: remotes)
      var request: JSON = ["do": "pause", "remotes": .array(names.map(JSON.string))]
      if let duration { request["for"] = .number(duration.duration / .seconds(1)) }
      try store.setPauses(request) { $0.pause(names, until: end) }
      return names
    }
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
    let names = try common.stores(of: remotes).flatMap { store in
      let names = store.names(among: remotes)
      try store.setPauses(["do": "resume", "remotes": .array(names.map(JSON.string))]) { $0.resume(names) }
      return names
    }
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
    let stores = try common.stores(of: remotes)
    let services = stores.map { ControlSocket.connected(to: StateFolder(path: $0.stateFolder)) }
    // One service serves all stores of the settings.
    guard services.contains(where: { $0 != nil }) else {
      return try await RootCommand.runOnce(stores, common, remotes: remotes)
    }
    var answers: [Answer] = []
    for (store, service) in zip(stores, services) { answers.append(try ask(service, of: store)) }
    if common.json, answers.count == 1 {
      Console.print(answers[0].line)
    } else if common.json {
      Console.print(json: JSON.joined(zip(stores, answers).map { ($0.storeName, $1.document) }) ?? .null)
    } else {
      for line in answers.flatMap(\.text) { Console.print(line) }
    }
    throw ExitCode(answers.map(\.exitStatus).reduce(0, Failure.worst))
  }

  /// Asks the service of a store for passes, and waits until they have ended.
  private func ask(_ service: ControlSocket?, of store: DaemonConfiguration) throws -> Answer {
    let request: JSON = ["do": "sync", "remotes": .array(store.names(among: remotes).map(JSON.string))]
    guard let service, service.write(line: request.line), let line = service.readLine(atMost: 1 << 26) else {
      throw SyncError(.cancelled, "the service ended before it had synced; run the command again")
    }
    return try Answer(line)
  }

  /// What is needed of the service's answer.
  private struct Answer {
    let line: String
    let document: JSON
    var text: [String]
    var exitStatus: Int32

    init(_ line: String) throws {
      self.line = line
      document = try JSONDecoder().decode(ReadJSON.self, from: Data(line.utf8)).value
      if case .string(let error)? = document["error"] {
        throw SyncError(.unexpected, "the service cannot sync: \(error)")
      }
      text = []
      if case .array(let lines)? = document["text"] {
        text = lines.compactMap { if case .string(let line) = $0 { line } else { nil } }
      }
      exitStatus = 1
      if case .integer(let status)? = document["exit-status"] { exitStatus = Int32(clamping: status) }
    }
  }
}

extension DaemonConfiguration {
  /// Returns the remotes of this store that are named, or all of them if none is named at all.
  fileprivate func names(among chosen: [String]) -> [String] {
    remotes.map(\.name).filter { chosen.isEmpty || chosen.contains($0) }
  }

  /// Changes which remotes are paused: by the service if one is running, so that it acts on it at once.
  fileprivate func setPauses(_ request: JSON, _ change: (inout Pauses) -> Void) throws {
    let state = StateFolder(path: stateFolder)
    if let service = ControlSocket.connected(to: state) {
      guard service.write(line: request.line), service.readLine() == JSON.accepted.line else {
        throw SyncError(.changedMeanwhile, "the service did not accept the request; run the command again")
      }
      return
    }
    try state.create()
    var pauses = state.pauses
    change(&pauses)
    try state.record(pauses)
  }
}
