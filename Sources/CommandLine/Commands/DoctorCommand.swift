import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd doctor`: tries out this machine and what the remotes can do, and says what is not as promised.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Try out this machine and a remote, and say what is not as promised.",
    discussion: """
      All that was kept is read again: history, journal and base. Nothing is changed, neither here nor there.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The remote; none means all.") var remote: String?

  func run() async throws {
    let configuration = try common.configuration()
    let remotes = configuration.remotes.filter { remote == nil || $0.name == remote }
    guard !remotes.isEmpty || remote == nil else {
      let names = configuration.remotes.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no remote \"\(remote ?? "")\" in \(configuration.file); there is \(names)")
    }
    let (machine, others) = try await Workspace.with(configuration, .readOnly) { workspace in
      let machine = await Diagnosis(ofMachineIn: workspace)
      var others: [Diagnosis] = []
      for remote in remotes { others.append(await Diagnosis(of: remote, in: workspace)) }
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
