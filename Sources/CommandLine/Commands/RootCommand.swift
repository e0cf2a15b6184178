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
        name: "Sync",
        subcommands: [
          SyncCommand.self, PauseCommand.self, ResumeCommand.self, StatusCommand.self, AllowCommand.self,
          DenyCommand.self, CaptureCommand.self,
        ]),
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
    try await Self.runOnce(configuration, common, remotes: remote, isDryRun: options.dryRun)
  }

  /// Syncs once, prints the result and throws the exit status.
  static func runOnce(
    _ configuration: DaemonConfiguration, _ common: CommonOptions, remotes: [String], isDryRun: Bool = false
  ) async throws {
    let output = RunOutput(configuration: configuration, common: common, isDryRun: isDryRun)
    let budget = TimeBudget(limit: common.timeout?.duration ?? .seconds(300))
    let names = configuration.remotes.map(\.name).filter { remotes.isEmpty || remotes.contains($0) }
    budget.enforce { error in output.print(names.map { PassReport(remote: $0, failure: error) }, pass: 0) }
    let result = try await stoppingOnSignals {
      try await Workspace.with(configuration, isDryRun ? .readOnly : .exclusive) { workspace in
        try await OnceRun(workspace: workspace, remotes: remotes, output: output, budget: budget).run()
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
