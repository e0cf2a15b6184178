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
    var status: Int32 = 0
    try await common.eachStore(of: [remote].compactMap(\.self)) { configuration in
      let diagnoses = try await Self.diagnoses(configuration, remote: remote)
      status = Failure.worst(status, Self.status(of: diagnoses))
      guard !common.json else { return diagnoses.json }
      Self.show(diagnoses)
      return nil
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Prints the findings about this machine and a remote, and returns the exit status.
  static func diagnose(_ configuration: DaemonConfiguration, remote: String) async throws -> Int32 {
    let diagnoses = try await diagnoses(configuration, remote: remote)
    show(diagnoses)
    return status(of: diagnoses)
  }

  /// Returns the findings about this machine, and after them those about one or all remotes.
  private static func diagnoses(
    _ configuration: DaemonConfiguration, remote: String?
  ) async throws -> [Diagnosis] {
    let remotes = try configuration.remotes(named: [remote].compactMap(\.self))
    return try await Workspace.with(configuration, .readOnly) { workspace in
      let machine = await Diagnosis(ofMachineIn: workspace)
      // A remote that does not answer delays no other.
      let others = try await mapConcurrently(remotes, atMost: remotes.count) { remote throws(SyncError) in
        await Diagnosis(of: remote, in: workspace)
      }
      return [machine] + others
    }
  }

  private static func show(_ diagnoses: [Diagnosis]) {
    for line in diagnoses.flatMap(\.lines) { Console.print(line) }
  }

  private static func status(of diagnoses: [Diagnosis]) -> Int32 {
    diagnoses.compactMap(\.status).reduce(0, Failure.worst)
  }
}

extension [Diagnosis] {
  /// The document of this machine's diagnosis and the remotes' ones after it.
  fileprivate var json: JSON {
    ["version": 1, "machine": first?.json ?? .null, "remotes": .array(dropFirst().map(\.json))]
  }
}
