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
          SyncCommand.self, PlanCommand.self, ApplyCommand.self, PauseCommand.self, ResumeCommand.self,
          StatusCommand.self, AllowCommand.self, DenyCommand.self, CaptureCommand.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          LogCommand.self, BlameCommand.self, ShowCommand.self, DiffCommand.self, DeletedCommand.self,
          RestoreCommand.self,
          UndoCommand.self, WhyCommand.self, HistoryCommand.self,
        ]),
      CommandGroup(
        name: "Conflicts",
        subcommands: [
          ConflictsCommand.self, ResolveCommand.self, AdoptCommand.self, MergeFileCommand.self, MergeTreeCommand.self,
        ]),
      CommandGroup(
        name: "Set-up",
        subcommands: [
          InitCommand.self, InviteCommand.self, JoinCommand.self, RemoteCommand.self,
          DoctorCommand.self, SettingsCommand.self, BackendsCommand.self,
          LoginCommand.self,
          RekeyCommand.self, TrustCommand.self, ServiceCommand.self, HookCommand.self, ManualCommand.self,
        ]),
    ])

  @OptionGroup var common: CommonOptions

  @OptionGroup var choice: RemoteChoice
  @OptionGroup var options: RunOptions
  @OptionGroup var plan: DryRunOption

  func run() async throws {
    if plan.dryRun, !options.once { throw ValidationError("--dry-run requires --once") }
    let configuration = try common.configuration()
    let remote = choice.remote
    _ = try configuration.remotes(named: remote)
    guard options.once else {
      guard common.timeout == nil else { throw ValidationError("--timeout requires --once or a command") }
      return try await Service(load: common.configuration, remotes: remote).serve()
    }
    try await Self.runOnce(configuration, common, remotes: remote, isDryRun: plan.dryRun)
  }

  /// Syncs once, prints the result and throws the exit status.
  static func runOnce(
    _ configuration: DaemonConfiguration, _ common: CommonOptions, remotes: [String], isDryRun: Bool = false,
    reviews: [String: RemoteReview] = [:]
  ) async throws {
    throw ExitCode(try await printOnce(configuration, common, remotes: remotes, isDryRun: isDryRun, reviews: reviews))
  }

  /// Syncs once, prints the result and returns the exit status.
  @discardableResult
  static func printOnce(
    _ configuration: DaemonConfiguration, _ common: CommonOptions, remotes: [String], isDryRun: Bool = false,
    reviews: [String: RemoteReview] = [:]
  ) async throws -> Int32 {
    let output = RunOutput(configuration: configuration, common: common, isDryRun: isDryRun)
    let budget = TimeBudget(limit: common.timeout?.duration ?? .seconds(300))
    let names = configuration.remotes.map(\.name).filter { remotes.isEmpty || remotes.contains($0) }
    budget.enforce { error in output.print(names.map { PassReport(remote: $0, failure: error) }, pass: 0) }
    let result = try await stoppingOnSignals {
      let events = EventWorkers()
      let result = try await Workspace.with(configuration, isDryRun ? .readOnly : .exclusive) { workspace in
        try await OnceRun(
          workspace: workspace, remotes: remotes, output: output, budget: budget, events: events, reviews: reviews
        ).run()
      }
      // Without the lock, so that their commands can use syncd.
      await events.finish()
      return result
    }
    return result.exitStatus
  }
}
