import ArgumentParser
import SyncDaemon
import SyncKit

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Option(help: "Settings file. Default: ~/.config/syncd/settings.toml.", completion: .file(extensions: ["toml"]))
  var settings: String?

  @Option(
    help: """
      Store, if the settings have several: its name. With `init` and `join`: folder with your Org files, or a file such as \
      org.sqlite.
      """,
    completion: .stores)
  var store: String?

  @Flag(help: "Print one JSON document.")
  var json = false

  @Flag(name: .shortAndLong, help: "Name every file that a pass changes.")
  var verbose: Int

  @Flag(name: .shortAndLong, help: "Print only what needs attention.")
  var quiet = false

  @Option(help: "Time limit of the command, such as 90s or 5m. With --once: default 5m; the next run continues.")
  var timeout: TimeLimit?

  var settingsPath: String { SettingsLocation.path(named: settings, variables: variables) }

  /// The full path of the settings file if it is not the default one, for commands that are run later and elsewhere.
  var namedSettings: String? {
    let named = settings ?? variables["SYNCD_SETTINGS"]
    return named.flatMap { $0.isEmpty ? nil : ServiceFile.absolute($0) }
  }

  private var variables: [String: String] { SettingsEnvironment.current(forFileAt: ".").variables }
}
