import ArgumentParser
import SettingsRegistry

/// The words of a command line that name a command, such as `remote reset`.
struct CommandWord: ParsableCommand {
  @OptionGroup var common: CommonOptions
  @OptionGroup var options: RunOptions
  @OptionGroup var plan: DryRunOption
  @OptionGroup var choice: RemoteChoice
  @Argument(parsing: .allUnrecognized) var rest: [String] = []

  /// Throws a usage error for an unknown command, which names the nearest one. The parser would only call the word unexpected.
  static func check(_ arguments: [String]) throws {
    // A command line that cannot be parsed this way either asks for help or is rejected for another reason.
    guard let line = try? CommandWord.parse(arguments) else { return }
    try check(Array(line.rest.prefix { !$0.hasPrefix("-") }), in: [], of: RootCommand.self)
  }

  private static func check(_ words: [String], in path: [String], of command: any ParsableCommand.Type) throws {
    let known = command.configuration.subcommands
    guard let word = words.first, word != "help", !known.isEmpty else { return }
    guard let next = known.first(where: { $0._commandName == word }) else {
      throw ValidationError(mistake(word, in: path, of: known.map { $0._commandName } + ["help"]))
    }
    try check(Array(words.dropFirst()), in: path + [word], of: next)
  }

  private static func mistake(_ word: String, in path: [String], of known: [String]) -> String {
    func full(_ word: String) -> String { (path + [word]).joined(separator: " ") }
    let suggestion = known.nearest(to: word).map { " (did you mean \"\(full($0))\"?)" } ?? ""
    let help = (["syncd"] + path + ["--help"]).joined(separator: " ")
    return "unknown command \"\(full(word))\"\(suggestion); `\(help)` lists the commands"
  }
}
