import ArgumentParser
import SyncKit

/// The options that every command has.
struct CommonOptions: ParsableArguments {
  @Option(help: "The settings file.", completion: .file(extensions: ["toml"]))
  var settings: String?

  @Flag(help: "Print one JSON document.")
  var json = false

  @Flag(name: .shortAndLong, help: "Say more; name every file.")
  var verbose: Int

  @Flag(name: .shortAndLong, help: "Say only what is wrong.")
  var quiet = false

  /// The settings, with all mistakes found.
  func configuration() throws -> DaemonConfiguration {
    try SettingsLocation.read(settingsPath, registry: Program.registry)
  }

  var settingsPath: String {
    SettingsLocation.path(named: settings, variables: SettingsEnvironment.current(forFileAt: ".").variables)
  }
}
