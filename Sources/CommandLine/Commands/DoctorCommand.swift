import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd doctor`: tests this machine and the remotes, and reports problems.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this machine and the remotes for problems.",
    discussion: """
      Probes each remote and verifies the history, the journal and the base. Changes nothing.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "Remote to check. Default: all.") var remote: String?

  func run() async throws {
    let configuration = try common.configuration()
    let remotes = configuration.remotes.filter { remote == nil || $0.name == remote }
    guard !remotes.isEmpty || remote == nil else {
      let names = configuration.remotes.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no remote \"\(remote ?? "")\" in \(configuration.file); the remotes are \(names)")
    }
    let (machine, others) = try await Workspace.with(configuration, .readOnly) { workspace in
      let machine = await Diagnosis(ofMachineIn: workspace)
      // A remote that does not answer delays no other.
      let others = try await mapConcurrently(remotes, atMost: remotes.count) { remote throws(SyncError) in
        await Diagnosis(of: remote, in: workspace)
      }
      return (machine, others)
    }
    print(machine, others)
    let status = ([machine] + others).compactMap(\.status).reduce(0, Failure.worst)
    if status != 0 { throw ExitCode(status) }
  }

  private func print(_ machine: Diagnosis, _ remotes: [Diagnosis]) {
    guard !common.json else {
      return Console.print(
        json: ["version": 1, "machine": machine.json, "remotes": .array(remotes.map(\.json))])
    }
    for line in ([machine] + remotes).flatMap(\.lines) { Console.print(line) }
  }
}
