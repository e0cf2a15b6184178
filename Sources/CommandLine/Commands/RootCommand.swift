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
        name: "Agenda",
        subcommands: [
          AgendaCommand.self, ReviewCommand.self, SearchCommand.self, StuckCommand.self, HabitsCommand.self,
          TagsCommand.self,
          NearCommand.self, AlertsCommand.self, CalendarCommand.self, ShareCommand.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          LogCommand.self, BlameCommand.self, ShowCommand.self, DiffCommand.self, DeletedCommand.self,
          RestoreCommand.self,
          UndoCommand.self, WhyCommand.self, HistoryCommand.self,
        ]),
      CommandGroup(
        name: "Entries",
        subcommands: [
          TodoCommand.self, ScheduleCommand.self, DeadlineCommand.self, TagCommand.self, PriorityCommand.self,
          PropertyCommand.self, NoteCommand.self, TitleCommand.self, CheckCommand.self, RefileCommand.self,
          ArchiveCommand.self, SortCommand.self, MoveCommand.self, NewCommand.self, DeleteCommand.self,
          ClockCommand.self, ItemCommand.self,
        ]),
      CommandGroup(
        name: "Hub", subcommands: [ServeCommand.self, PairCommand.self, DevicesCommand.self]),
      CommandGroup(
        name: "Conflicts",
        subcommands: [
          ConflictsCommand.self, ResolveCommand.self, AdoptCommand.self, MergeFileCommand.self, MergeTreeCommand.self,
        ]),
      CommandGroup(
        name: "Set-up",
        subcommands: [
          InitCommand.self, InviteCommand.self, JoinCommand.self, RemoteCommand.self, StoreCommand.self,
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
    let remote = choice.remote
    let stores = try common.stores(of: remote)
    guard options.once else {
      guard common.timeout == nil else { throw ValidationError("--timeout requires --once or a command") }
      return try await Service(
        load: { [common] in try common.stores() }, remotes: remote, isVerbose: common.verbose > 0,
        companion: Self.hub
      ).serve()
    }
    try await Self.runOnce(stores, common, remotes: remote, isDryRun: plan.dryRun)
  }

  /// Makes the hub of the service, if the settings have one.
  private static var hub: CompanionMaker {
    #if Hub
      HubCompanion.inSettings
    #else
      { configuration, _ in
        if configuration.hub != nil {
          Console.error("syncd: [hub] has no effect: this syncd was built without the hub; build it with the trait Hub")
        }
        return nil
      }
    #endif
  }

  /// Syncs once, prints the result and throws the exit status.
  static func runOnce(
    _ stores: [DaemonConfiguration], _ common: CommonOptions, remotes: [String], isDryRun: Bool = false,
    reviews: [String: RemoteReview] = [:]
  ) async throws {
    throw ExitCode(try await printOnce(stores, common, remotes: remotes, isDryRun: isDryRun, reviews: reviews))
  }

  /// Syncs once, prints the result and returns the exit status.
  @discardableResult
  static func printOnce(
    _ stores: [DaemonConfiguration], _ common: CommonOptions, remotes: [String], isDryRun: Bool = false,
    reviews: [String: RemoteReview] = [:]
  ) async throws -> Int32 {
    let output = RunOutput(common: common, isSeveral: stores.count > 1, isDryRun: isDryRun)
    let budget = TimeBudget(limit: common.timeout?.duration ?? .seconds(300))
    budget.enforce { error in output.print(stores.map { OnceRun.failed($0, remotes, error) }) }
    let run = OnceRun(remotes: remotes, output: output, budget: budget, reviews: reviews)
    let result = try await stoppingOnSignals { try await run.run(over: stores) }
    return result.exitStatus
  }
}
