import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd init`: writes a settings file. It asks only on a terminal, and every answer is also an option.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a settings file for a store and one remote.")

  @OptionGroup var common: CommonOptions
  @Option(help: "Folder with your Org files.", completion: .directory) var store: String?
  @OptionGroup var choice: RemoteChoice
  @Option(help: "Kind of remote: folder, webdav, dropbox, git, rsync-ssh and others that `init` lists.")
  var with: String?
  @Option(help: "Folder to sync with; short for `--with folder --set path=…`.", completion: .directory)
  var folder: String?
  @Option(
    help:
      "Setting of the remote, as KEY=VALUE; for a secret, file:PATH, command:PROGRAM, env:NAME or keyring:NAME. Repeatable."
  )
  var set: [String] = []
  @Flag(help: "Replace an existing settings file; the old one is kept in the same folder.") var replace = false

  private var remote: String { choice.remote.first ?? "home" }

  func validate() throws {
    guard choice.remote.count <= 1 else { throw ValidationError("`init` creates one remote; use --remote once") }
    guard !remote.isEmpty, remote.utf8.allSatisfy(Self.isInName) else {
      throw ValidationError("the name of a remote can have only letters, digits, \"-\" and \"_\"")
    }
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  func run() async throws {
    let path = common.settingsPath
    if LocalFile.exists(path), !replace {
      throw SyncError(
        .invalidSettings, "\(path) exists; `--replace` writes a new one and keeps the old one in the same folder")
    }
    let draft = try draft()
    let configuration = try check(draft.text, path)
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    try write(draft.secrets, in: folder)
    try write(draft.text, to: path)
    makeFolders(of: configuration)
    if common.json { return Console.print(json: ["version": 1, "settings": .string(path)]) }
    if !common.quiet {
      let login = draft.kind.needsLogin ? "sign in with `syncd login \(remote)`, then " : ""
      Console.print(
        "wrote \(path); next, \(login)run `syncd --once --dry-run` to see the plan and `syncd --once` to sync")
    }
  }

  private func draft() throws -> SettingsDraft {
    let given = folder.map { set + ["path=\($0)"] } ?? set
    let interview = try Interview(
      given: given, ask: Console.canAsk ? { ask($0) } : nil, askSecretly: SecretPrompt.answer)
    let path = try store ?? interview.answer(to: "Where are your Org files?", defaultAnswer: "~/org", option: "--store")
    let kind = try interview.kind(
      of: RemoteKind.all(of: Program.registry), named: with ?? (folder == nil ? nil : "folder"), defaultAnswer: "folder"
    )
    return SettingsDraft(store: path, remote: remote, kind: kind, answers: try interview.answers(for: kind))
  }

  private func ask(_ question: String) -> String {
    Console.error(question + " ", terminator: "")
    return readLine(strippingNewline: true) ?? ""
  }

  /// Returns the settings; throws if they would be rejected later.
  private func check(_ text: String, _ path: String) throws -> DaemonConfiguration {
    let file = SettingsFile(text.utf8, file: path, environment: .current(forFileAt: path))
    return try DaemonConfiguration(file, file: path, registry: Program.registry)
  }

  /// Creates the folder of the remote if it is missing, which no pass does unless the settings say so. The folder above it must
  /// exist: if it does not, a disk is probably not mounted.
  private func makeFolders(of configuration: DaemonConfiguration) {
    for folder in configuration.remotes.compactMap(\.cloud).flatMap(\.settings.localFolders) {
      do throws(SyncError) {
        guard try LocalFile.makeOneFolder(folder) else { continue }
        Console.error("created the folder \(folder)")
      } catch { Console.error("\(error.message). Mount its disk, or create the folder, before you sync") }
    }
  }

  /// Writes the secrets that were typed into files that only their owner can read.
  private func write(_ secrets: [(file: String, value: String)], in folder: String) throws(SyncError) {
    guard !secrets.isEmpty else { return }
    try LocalFile.makeFolder("\(folder)/secrets")
    for secret in secrets {
      let file = "\(folder)/\(secret.file)"
      if LocalFile.exists(file) { try LocalFile.move(file, to: "\(file).\(CivilTime(Runtime.real.now()))") }
      try LocalFile.writePrivately(Array("\(secret.value)\n".utf8), to: file)
      Console.error("the secret is in \(file), which only you can read")
    }
  }

  private func write(_ text: String, to path: String) throws(SyncError) {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try LocalFile.makeFolder(String(path[..<slash])) }
    if LocalFile.exists(path) {
      let old = "\(path).\(CivilTime(Runtime.real.now()))"
      try LocalFile.write(try LocalFile.read(path), to: old)
      Console.error("the previous settings are in \(old)")
    }
    try LocalFile.write(Array(text.utf8), to: path)
  }
}
