import ArgumentParser
import SyncDaemon
import SyncKit

/// The options that only a run accepts.
struct RunOptions: ParsableArguments {
  @Flag(help: "Sync once and exit. Default: run as a service.")
  var once = false
}

/// The option of a run and of the commands that can print what they would do.
struct DryRunOption: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Print the plan and change nothing.")
  var dryRun = false
}

/// A command that has the option `--dry-run`.
protocol DryRunning: ParsableCommand {}

/// The selected remotes.
struct RemoteChoice: ParsableArguments {
  @Option(help: "Sync only this remote; repeatable. With `init`: name of the new remote.", completion: .remotes)
  var remote: [String] = []
}

/// The options of a run anywhere on the command line. The parser removes them before it comes to a command, which would then
/// work as if they had not been given.
struct MisplacedOptions: ParsableCommand {
  @OptionGroup var options: RunOptions
  @OptionGroup var plan: DryRunOption
  @OptionGroup var choice: RemoteChoice
  @Option var timeout: TimeLimit?
  @Argument(parsing: .allUnrecognized) var rest: [String] = []

  /// Throws a usage error if one of them was given to `command`, which does not run passes.
  static func refuse(in arguments: [String], of command: any ParsableCommand.Type) throws {
    // A command line that cannot be parsed this way either asks for help or is rejected for another reason.
    guard command != RootCommand.self, let given = try? parse(arguments), let name = given.name(for: command) else {
      return
    }
    throw ValidationError("this command does not take \(name); it is an option of `syncd` itself")
  }

  /// The time limit that was given to any command; nil if there is none.
  static func timeLimit(in arguments: [String]) -> Duration? { (try? parse(arguments))?.timeout?.duration }

  private func name(for command: any ParsableCommand.Type) -> String? {
    if options.once { return "--once" }
    if plan.dryRun, !(command is any DryRunning.Type) { return "--dry-run" }
    return choice.remote.isEmpty || command == InitCommand.self ? nil : "--remote"
  }
}

/// A duration on the command line.
struct TimeLimit: ExpressibleByArgument {
  var duration: Duration

  init?(argument: String) {
    guard let duration = Duration(text: argument) else { return nil }
    self.duration = duration
  }
}
