import ArgumentParser
import SettingsRegistry
import SyncDaemon
import SyncKit

/// `syncd init`: writes a settings file. It asks only on a terminal, and every answer is also an option.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a settings file for a store and one remote.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var choice: RemoteChoice
  @OptionGroup var setup: RemoteSetup
  @Flag(help: "Replace an existing settings file; the old one is kept in the same folder.") var replace = false

  private var remote: String { choice.remote.first ?? "home" }

  func validate() throws {
    guard choice.remote.count <= 1 else { throw ValidationError("`init` creates one remote; use --remote once") }
    try RemoteSetup.check(name: remote)
  }

  func run() async throws {
    let path = common.settingsPath
    if LocalFile.exists(path), !replace {
      throw SyncError(
        .invalidSettings,
        "\(path) exists; add a remote with `syncd remote add NAME`, or write a new file with `--replace`, which keeps the old one in the same folder"
      )
    }
    let interview = try setup.interview()
    let store = try common.store ?? interview.store(folder: { try Self.folder(ofStore: $0, path) })
    let draft = try await setup.draft(
      named: remote, interview, in: { $0.file(store: store) }, at: path,
      check: { _ = try Self.check($0.file(store: store), path) })
    let configuration = try Self.check(draft.file(store: store), path)
    try draft.writeSecrets(forFileAt: path)
    try write(draft.file(store: store), to: path)
    if interview.isOnTerminal, let root = configuration.store.root { try LocalFile.makeFolder(root) }
    for remote in configuration.remotes { remote.makeFolders() }
    if common.json { return Console.print(json: ["version": 1, "settings": .string(path)]) }
    guard !common.quiet else { return }
    Console.print("wrote \(path); \(draft.nextStep)")
    if interview.isOnTerminal { try await FirstSteps(configuration, common, remote).offer(interview) }
  }

  /// Returns the path that an answer for the store means.
  static func folder(ofStore answer: String, _ path: String) throws -> String {
    let text = "[store]\npath = \(TOMLValue.string(fromHere(answer)).text)\n"
    return try check(text, path).store.place ?? answer
  }

  /// Returns the settings; throws if they would be rejected later.
  private static func check(_ text: String, _ path: String) throws -> DaemonConfiguration {
    let file = SettingsFile(text.utf8, file: path, environment: .current(forFileAt: path))
    return try DaemonConfiguration(file, file: path, registry: Program.registry)
  }

  private func write(_ text: String, to path: String) throws(SyncError) {
    try LocalFile.makeFolder(ofFile: path)
    if LocalFile.exists(path) {
      let old = "\(path).\(CivilTime(Runtime.real.now()))"
      try LocalFile.write(try LocalFile.read(path), to: old)
      Console.error("the previous settings are in \(old)")
    }
    try LocalFile.write(Array(text.utf8), to: path)
  }
}
