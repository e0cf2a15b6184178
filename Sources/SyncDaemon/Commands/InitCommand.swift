import ArgumentParser
import SyncKit

/// `syncd init`: writes a settings file; asks only on a terminal, and every answer is an option too.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented settings file for a store and one remote.")

  @OptionGroup var common: CommonOptions
  @Option(help: "The folder with your Org files.", completion: .directory) var store: String?
  @Option(help: "The name of the remote.") var remote = "home"
  @Option(help: "The folder to mirror it with.", completion: .directory) var folder: String?
  @Flag(help: "Replace a settings file that is there already; the old one is kept beside it.") var replace = false

  func run() async throws {
    let path = common.settingsPath
    if LocalFile.exists(path), !replace {
      throw SyncError(
        .invalidSettings, "\(path) is there already; `--replace` writes a new one and keeps the old one beside it")
    }
    let store = try store ?? ask("Where are your Org files?", default: "~/org", option: "--store")
    let folder = try folder ?? ask("Which folder shall they be mirrored with?", default: nil, option: "--folder")
    let text = text(store: store, folder: folder)
    try check(text, path)
    try write(text, to: path)
    if !common.quiet {
      Console.print("wrote \(path); now `syncd --once --dry-run` shows what would be done, and `syncd --once` does it")
    }
  }

  private func ask(_ question: String, default standard: String?, option: String) throws -> String {
    guard Console.canAsk else {
      if let standard { return standard }
      throw ValidationError("\(question) Give it with \(option); there is no terminal to ask on")
    }
    Console.error(question + (standard.map { " [\($0)]" } ?? "") + " ", terminator: "")
    let answer = readLine(strippingNewline: true) ?? ""
    guard let chosen = answer.isEmpty ? standard : answer else {
      throw ValidationError("\(question) An answer is needed")
    }
    return chosen
  }

  private func text(store: String, folder: String) -> String {
    """
    # Settings of syncd. `syncd settings template` shows every setting there is, `syncd settings check` finds mistakes.

    [store]
    path = \(quoted(store))
    # exclude = ["*.pdf"]

    [remotes.\(remote)]
    sync = "plain-files"
    cloud = "folder"

    [remotes.\(remote).folder]
    path = \(quoted(folder))

    """
  }

  private func quoted(_ text: String) -> String { TOMLValue.string(text).text }

  /// Nothing is written that would be refused afterwards.
  private func check(_ text: String, _ path: String) throws {
    let file = SettingsFile(text.utf8, file: path, environment: .current(forFileAt: path))
    _ = try DaemonConfiguration(file, file: path, registry: Program.registry)
  }

  private func write(_ text: String, to path: String) throws(SyncError) {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try LocalFile.makeFolder(String(path[..<slash])) }
    if LocalFile.exists(path) {
      let old = "\(path).\(CivilTime(World.real.now()))"
      try LocalFile.write(try LocalFile.read(path), to: old)
      Console.error("the former settings are in \(old)")
    }
    try LocalFile.write(Array(text.utf8), to: path)
  }
}
