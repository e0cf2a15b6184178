import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd init`: writes a settings file; asks only on a terminal, and every answer is an option too.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented settings file for a store and one remote.")

  @OptionGroup var common: CommonOptions
  @Option(help: "The folder with your Org files.", completion: .directory) var store: String?
  @OptionGroup var choice: RemoteChoice
  @Option(help: "What to mirror it with: folder, webdav, dropbox, git, rsync-ssh and others that `init` lists.")
  var with: String?
  @Option(help: "The folder to mirror it with; the same as `--with folder --set path=…`.", completion: .directory)
  var folder: String?
  @Option(help: "A setting of what it is mirrored with, as KEY=VALUE; of a secret where it is, a file or a command.")
  var set: [String] = []
  @Flag(help: "Replace a settings file that is there already; the old one is kept beside it.") var replace = false

  private var remote: String { choice.remote.first ?? "home" }

  func validate() throws {
    guard choice.remote.count <= 1 else { throw ValidationError("`init` writes one remote; give --remote once") }
    guard !remote.isEmpty, remote.utf8.allSatisfy(Self.isInName) else {
      throw ValidationError("the name of a remote has only letters, digits, \"-\" and \"_\"")
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
        .invalidSettings, "\(path) is there already; `--replace` writes a new one and keeps the old one beside it")
    }
    let draft = try draft()
    try check(draft.text, path)
    try write(draft.text, to: path)
    if common.json { return Console.print(json: ["version": 1, "settings": .string(path)]) }
    if !common.quiet {
      let login = draft.kind.needsLogin ? "`syncd login \(remote)` signs in, then " : ""
      Console.print(
        "wrote \(path); now \(login)`syncd --once --dry-run` shows what would be done, and `syncd --once` does it")
    }
  }

  private func draft() throws -> SettingsDraft {
    let given = folder.map { set + ["path=\($0)"] } ?? set
    let interview = try Interview(given: given, ask: Console.canAsk ? { ask($0) } : nil)
    let path = try store ?? interview.answer(to: "Where are your Org files?", standard: "~/org", option: "--store")
    let kind = try interview.kind(
      of: RemoteKind.all(of: Program.registry), named: with ?? (folder == nil ? nil : "folder"), standard: "folder")
    return SettingsDraft(store: path, remote: remote, kind: kind, answers: try interview.answers(for: kind))
  }

  private func ask(_ question: String) -> String {
    Console.error(question + " ", terminator: "")
    return readLine(strippingNewline: true) ?? ""
  }

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
