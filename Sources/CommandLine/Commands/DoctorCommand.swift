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
  @Argument(help: "Remote to check. Default: all.", completion: .remotes) var remote: String?

  func run() async throws {
    let configuration = try common.configuration()
    let status = try await Self.diagnose(configuration, remote: remote, isJSON: common.json)
    if status != 0 { throw ExitCode(status) }
  }

  /// Prints the findings about this machine and one or all remotes, and returns the exit status.
  static func diagnose(
    _ configuration: DaemonConfiguration, remote: String?, isJSON: Bool = false
  ) async throws -> Int32 {
    let remotes = try configuration.remotes(named: [remote].compactMap(\.self))
    let (machine, others) = try await Workspace.with(configuration, .readOnly) { workspace in
      let machine = await Diagnosis(ofMachineIn: workspace)
      // A remote that does not answer delays no other.
      let others = try await mapConcurrently(remotes, atMost: remotes.count) { remote throws(SyncError) in
        await Diagnosis(of: remote, in: workspace)
      }
      return (machine, others)
    }
    if isJSON {
      Console.print(json: ["version": 1, "machine": machine.json, "remotes": .array(others.map(\.json))])
    } else {
      for line in ([machine] + others).flatMap(\.lines) { Console.print(line) }
    }
    return ([machine] + others).compactMap(\.status).reduce(0, Failure.worst)
  }
}
