import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd` itself: one run with `--once`, otherwise the service.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncd",
    abstract: "Sync a folder of Org files with any number of remotes, without losing a line.",
    version: ProgramVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Sync", subcommands: [StatusCommand.self, AllowCommand.self, DenyCommand.self, CaptureCommand.self]),
      CommandGroup(
        name: "History",
        subcommands: [
          LogCommand.self, ShowCommand.self, DiffCommand.self, DeletedCommand.self, RestoreCommand.self,
          UndoCommand.self, WhyCommand.self,
        ]),
      CommandGroup(
        name: "Conflicts",
        subcommands: [ConflictsCommand.self, ResolveCommand.self, MergeFileCommand.self, MergeTreeCommand.self]),
      CommandGroup(
        name: "Set-up",
        subcommands: [
          InitCommand.self, RemoteCommand.self, DoctorCommand.self, SettingsCommand.self, BackendsCommand.self,
          LoginCommand.self,
          RekeyCommand.self, TrustCommand.self, ServiceCommand.self, HookCommand.self, ManualCommand.self,
        ]),
    ])

  @OptionGroup var common: CommonOptions

  @OptionGroup var choice: RemoteChoice
  @OptionGroup var options: RunOptions

  func validate() throws {
    if options.dryRun, !options.once { throw ValidationError("--dry-run requires --once") }
  }

  func run() async throws {
    let configuration = try common.configuration()
    let remote = choice.remote
    try checkRemotes(in: configuration)
    guard options.once else {
      guard common.timeout == nil else { throw ValidationError("--timeout requires --once or a command") }
      return try await Service(load: common.configuration, remotes: remote).serve()
    }
    let output = RunOutput(configuration: configuration, common: common, isDryRun: options.dryRun)
    let budget = TimeBudget(limit: common.timeout?.duration ?? .seconds(300))
    let names = configuration.remotes.map(\.name).filter { remote.isEmpty || remote.contains($0) }
    budget.enforce { error in output.print(names.map { PassReport(remote: $0, failure: error) }, pass: 0) }
    let access: Workspace.Access = options.dryRun ? .readOnly : .exclusive
    let result = try await stoppingOnSignals {
      try await Workspace.with(configuration, access) { workspace in
        try await OnceRun(workspace: workspace, remotes: remote, output: output, budget: budget).run()
      }
    }
    throw ExitCode(result.exitStatus)
  }

  private func checkRemotes(in configuration: DaemonConfiguration) throws {
    let names = configuration.remotes.map(\.name)
    guard let unknown = choice.remote.first(where: { !names.contains($0) }) else { return }
    throw ValidationError(
      "there is no remote \"\(unknown)\" in \(configuration.file); the remotes are \(names.joined(separator: ", "))")
  }
}
