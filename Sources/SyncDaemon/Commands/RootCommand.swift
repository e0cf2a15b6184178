import ArgumentParser
import SyncKit

/// `syncd` itself: one run with `--once`, else a service.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncd",
    abstract: "Keeps the Org files of a folder and any number of remotes in agreement, and never loses a line.",
    version: ProgramVersion.text,
    subcommands: [
      StatusCommand.self, LogCommand.self, ShowCommand.self, RestoreCommand.self, UndoCommand.self,
      ConflictsCommand.self, ResolveCommand.self, AllowCommand.self, WhyCommand.self, DoctorCommand.self,
      BackendsCommand.self, SettingsCommand.self, InitCommand.self, LoginCommand.self, RekeyCommand.self,
      CaptureCommand.self,
      ServiceCommand.self,
      HookCommand.self, ManualCommand.self, MergeFileCommand.self, MergeTreeCommand.self,
    ])

  @OptionGroup var common: CommonOptions

  @Flag(help: "Sync once and exit; without it, run as a service.")
  var once = false

  @Option(help: "Only this remote; may be given several times.")
  var remote: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "With --once: print what would be done; change nothing.")
  var dryRun = false

  @Option(help: "With --once: take no longer than this, such as 90s or 5m; the rest is left for the next run.")
  var timeout = TimeLimit(duration: .seconds(300))

  func validate() throws {
    if dryRun, !once { throw ValidationError("--dry-run goes with --once") }
  }

  func run() async throws {
    let configuration = try common.configuration()
    try checkRemotes(in: configuration)
    guard once else { return try await Service(load: common.configuration, remotes: remote).serve() }
    let output = RunOutput(configuration: configuration, common: common, isDryRun: dryRun)
    let budget = TimeBudget(limit: timeout.duration)
    let names = configuration.remotes.map(\.name).filter { remote.isEmpty || remote.contains($0) }
    budget.enforce { error in output.print(names.map { PassReport(remote: $0, failure: error) }, pass: 0) }
    let result = try await Workspace.with(configuration, dryRun ? .readOnly : .exclusive) { workspace in
      try await OnceRun(workspace: workspace, remotes: remote, output: output, budget: budget).run()
    }
    throw ExitCode(result.exitStatus)
  }

  private func checkRemotes(in configuration: DaemonConfiguration) throws {
    let names = configuration.remotes.map(\.name)
    guard let unknown = remote.first(where: { !names.contains($0) }) else { return }
    throw ValidationError(
      "there is no remote \"\(unknown)\" in \(configuration.file); there is \(names.joined(separator: ", "))")
  }
}

/// A duration on the command line.
struct TimeLimit: ExpressibleByArgument, CustomStringConvertible {
  var duration: Duration

  init(duration: Duration) { self.duration = duration }

  init?(argument: String) {
    guard let duration = Duration(text: argument) else { return nil }
    self.duration = duration
  }

  var description: String { duration.text }
}
