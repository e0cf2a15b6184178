import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The manual pages, generated from the declarations of commands and settings, so that they cannot differ from them.
struct Manual {
  let registry: Registry

  /// The names of the plugins' pages, without duplicates.
  private var pluginPages: [String] { Set(registry.plugins.map { "syncd-\($0.id)(7)" }).sorted() }

  /// Returns the pages by file name.
  func pages() throws -> [String: String] {
    let root = try CommandDescription.root()
    var pages = ["syncd.1": commands(root), "syncd.toml.5": settings]
    for command in root.commands { pages["syncd-\(command.commandName).1"] = page(of: command, among: root) }
    for plugin in registry.plugins { pages["syncd-\(plugin.id).7"] = page(of: plugin) }
    return pages
  }

  private func header(_ name: String, _ section: Int, _ summary: String) -> ManualText {
    var text = ManualText()
    text.line(".TH \(name.uppercased()) \(section) \"\" \"syncd \(ProgramVersion.number)\"")
    text.heading("NAME")
    text.paragraph("\(name) - \(summary)")
    return text
  }
}

// Commands

extension Manual {
  private func commands(_ root: CommandDescription) -> String {
    var text = header("syncd", 1, "sync Org files with any number of remotes")
    text.heading("SYNOPSIS")
    text.line(".B syncd")
    text.paragraph("[options] [command]")
    text.heading("DESCRIPTION")
    text.paragraph(root.abstract ?? "")
    text.paragraph(
      "Without a command and without --once, syncd runs in the foreground as a service until SIGTERM or SIGINT. SIGHUP "
        + "reloads the settings, SIGUSR1 logs the state of each remote, SIGUSR2 stops the service after the current pass."
    )
    text.heading("OPTIONS")
    for argument in root.shown { text.item(argument.title, argument.help) }
    text.heading("COMMANDS")
    for group in Self.groups {
      text.subheading(group.name)
      for command in root.commands where group.commands.contains(command.commandName) {
        text.item(command.page, command.abstract ?? "")
      }
    }
    writeCommon(to: &text)
    write(CommandExample.standard["syncd"] ?? [], to: &text)
    text.heading("SEE ALSO")
    text.paragraph((["syncd.toml(5)"] + pluginPages).joined(separator: ", "))
    return text.text
  }

  /// The parts that all pages of commands refer to.
  private func writeCommon(to text: inout ManualText) {
    text.heading("EXIT STATUS")
    for (status, meaning) in Self.exitStatus { text.item("\(status)", meaning) }
    text.heading("FILES")
    text.item("~/.config/syncd/settings.toml", "Settings; see syncd.toml(5).")
    text.item(
      "~/.local/state/syncd", "State: the base of each remote, previous versions, the lock, the control socket.")
    text.heading("ENVIRONMENT")
    text.item("SYNCD_SETTINGS", "Settings file, if --settings is not given.")
  }

  private func write(_ examples: [CommandExample], to text: inout ManualText) {
    text.heading("EXAMPLES")
    for example in examples { text.example(example) }
  }

  /// The groups of commands, as in the help.
  private static let groups = RootCommand.configuration.groupedSubcommands.map { group in
    (name: group.name, commands: Set(group.subcommands.map { $0._commandName }))
  }

  /// Returns the page of a command.
  private func page(of command: CommandDescription, among root: CommandDescription) -> String {
    var text = header("syncd-\(command.commandName)", 1, command.summary)
    text.heading("SYNOPSIS")
    for form in forms(of: command, under: []) { text.synopsis(form) }
    text.heading("DESCRIPTION")
    let shared = Set(root.shown.map(\.title))
    let examples = write(command, under: [], shared: shared, to: &text)
    text.heading("OPTIONS")
    text.paragraph(
      "The options of syncd(1) that every command has are --settings, --store, --json, --verbose, --quiet and --timeout."
    )
    text.heading("EXIT STATUS")
    text.paragraph("As of syncd(1), unless this page says something else.")
    write(examples + (CommandExample.standard[command.commandName] ?? []), to: &text)
    text.heading("SEE ALSO")
    let group = Self.groups.first { $0.commands.contains(command.commandName) }?.commands ?? []
    let others = root.commands.filter { group.contains($0.commandName) && $0.commandName != command.commandName }
    text.paragraph((["syncd(1)", "syncd.toml(5)"] + others.map(\.page).sorted()).joined(separator: ", "))
    return text.text
  }

  /// The forms of a command and its own commands, with their arguments.
  private func forms(of command: CommandDescription, under parents: [String]) -> [String] {
    let names = parents + [command.commandName]
    let inner = command.commands.flatMap { forms(of: $0, under: names) }
    guard command.commands.isEmpty || !command.positional.isEmpty else { return inner }
    return [(["syncd"] + names + ["[options]"] + command.positional.map(\.title)).joined(separator: " ")] + inner
  }

  /// Writes the description of a command and its own commands, and returns their examples.
  private func write(
    _ command: CommandDescription, under parents: [String], shared: Set<String>, to text: inout ManualText
  ) -> [CommandExample] {
    let names = parents + [command.commandName]
    let (discussion, examples) = CommandExample.split(command.discussion ?? "")
    if !parents.isEmpty { text.subheading(names.joined(separator: " ")) }
    if !parents.isEmpty || command.commands.isEmpty {
      text.paragraph([command.abstract ?? "", discussion].joined(separator: " "))
    }
    let arguments = command.positional + command.shown.filter { !shared.contains($0.title) && $0.title != "--version" }
    for argument in arguments where argument.title != "-h, --help" { text.item(argument.title, argument.help) }
    return examples + command.commands.flatMap { write($0, under: names, shared: shared, to: &text) }
  }

  private static let exitStatus = [
    (0, "In sync, or only edits that wait for the other side."), (1, "Unexpected error."),
    (2, "Wrong usage."), (3, "Conflicts need your attention. Nothing is lost; everything else is done."),
    (4, "Some files failed; a later run may succeed."), (5, "A remote is unreachable."),
    (6, "Safety stop: deletions are held, a side is missing, or the wrong disk is mounted."),
    (7, "The state needs repair; the message says how."), (8, "Invalid settings."),
    (9, "Another instance holds the lock and did not yield."),
    (10, "Time limit reached, or a check must be repeated; the next run continues."),
    (11, "Credentials refused or expired."),
  ]
}

// Settings

extension Manual {
  private var settings: String {
    var text = header("syncd.toml", 5, "settings file of syncd")
    text.heading("DESCRIPTION")
    text.paragraph(
      "A TOML file. Relative paths are relative to it; ~ and ${NAME} expand. Unknown keys are errors. syncd reports all "
        + "mistakes at once, each with its line and column.")
    text.paragraph(
      "A secret is a string or one of { command = [...] }, { env = \"NAME\" }, { file = \"PATH\" } and "
        + "{ credential = \"NAME\" }.")
    for section in DaemonConfiguration.layout(of: registry).sections where section.choice == nil {
      text.heading(section.header)
      text.paragraph(section.summary)
      write(section.declarations, to: &text)
    }
    text.heading("SEE ALSO")
    text.paragraph((["syncd(1)"] + pluginPages).joined(separator: ", "))
    return text.text
  }

  private func page(of plugin: any Plugin.Type) -> String {
    var text = header("syncd-\(plugin.id)", 7, plugin.summary.trimmingPrefix(".").description)
    text.heading("DESCRIPTION")
    text.paragraph(plugin.summary)
    let sections = DaemonConfiguration.layout(of: registry).sections.filter { $0.choice?.id == plugin.id }
    for (index, section) in sections.enumerated() where !section.declarations.isEmpty {
      // A plugin may have several roles with the same table.
      guard !sections[..<index].contains(where: { $0.path == section.path }) else { continue }
      text.heading(section.header)
      write(section.declarations, to: &text)
    }
    text.heading("SEE ALSO")
    text.paragraph("syncd(1), syncd.toml(5)")
    return text.text
  }

  private func write(_ declarations: [SettingDeclaration], to text: inout ManualText) {
    for declaration in declarations {
      text.item(declaration.key, "\(declaration.help) \(declaration.summary)")
    }
  }
}

/// A page with the macros of man(7).
struct ManualText {
  private(set) var text = ""

  mutating func line(_ line: String) { text += line + "\n" }

  /// True at the beginning of a section, where a paragraph begins by itself.
  private var isAtStart = false

  mutating func heading(_ title: String) {
    line(".SH \"\(Self.escaped(title))\"")
    isAtStart = true
  }

  mutating func subheading(_ title: String) {
    line(".SS \"\(Self.escaped(title))\"")
    isAtStart = true
  }

  mutating func paragraph(_ words: String) {
    beginParagraph()
    line(Self.escaped(Self.wrapped(words)))
  }

  mutating func item(_ term: String, _ words: String) {
    line(".TP")
    line(".B \"\(Self.escaped(term))\"")
    if !words.isEmpty { line(Self.escaped(Self.wrapped(words))) }
    isAtStart = false
  }

  /// A form of a command: its name in bold.
  mutating func synopsis(_ form: String) {
    beginParagraph()
    let bold = form.split(separator: " ").prefix { $0.first?.isLowercase == true }
    line(".B \"\(Self.escaped(bold.joined(separator: " ")))\"")
    line(Self.escaped(Self.wrapped(String(form.dropFirst(bold.joined(separator: " ").count + 1)))))
  }

  /// An example, as it is typed, and what it does.
  mutating func example(_ example: CommandExample) {
    if !example.purpose.isEmpty { paragraph(example.purpose + ":") }
    beginParagraph()
    line(".nf")
    line(".RS")
    line(Self.escaped(example.line))
    line(".RE")
    line(".fi")
  }

  private mutating func beginParagraph() {
    if !isAtStart { line(".PP") }
    isAtStart = false
  }

  /// Returns the words in lines of up to 78 bytes of source, as mandoc(1) asks; each sentence begins on a new line.
  private static func wrapped(_ text: String) -> String {
    var lines: [String] = []
    var last = ""
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let endsSentence = last.hasSuffix(".") || last.hasSuffix("?") || last.hasSuffix("!")
      if last.isEmpty {
        last = String(word)
      } else if escaped(last).utf8.count + 1 + escaped(String(word)).utf8.count > 78
        || endsSentence && word.first?.isUppercase == true
      {
        lines.append(last)
        last = String(word)
      } else {
        last += " \(word)"
      }
    }
    return (lines + [last]).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Escapes roff's special characters, and characters beyond ASCII.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      // A dot or an apostrophe at the beginning of a line would be a request.
      (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line.unicodeScalars.map(escaped).joined()
    }
    .joined(separator: "\n")
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": "\\e"
    case "-": "\\-"
    case "\"": "\\(dq"
    case "`": "\\(ga"
    case "~": "\\(ti"
    case "^": "\\(ha"
    case _ where scalar.isASCII: String(scalar)
    default: "\\[u\(hexadecimal(scalar.value))]"
    }
  }
}

/// Returns at least four digits, as roff requires.
private func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// ArgumentParser's description of a command (`--experimental-dump-help`).
struct CommandDescription: Decodable {
  var commandName: String
  var abstract: String?
  var discussion: String?
  private var arguments: [Argument]?
  private var subcommands: [CommandDescription]?

  struct Argument: Decodable {
    var kind: String
    var names: [Name]?
    var abstract: String?
    var valueName: String?
    var defaultValue: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool

    struct Name: Decodable {
      var kind: String
      var name: String
    }
  }

  /// Returns the program's description with all commands.
  static func root() throws -> CommandDescription {
    struct Dump: Decodable { var command: CommandDescription }
    return try JSONDecoder().decode(Dump.self, from: Data(RootCommand._dumpHelp().utf8)).command
  }

  /// Its manual page.
  var page: String { "syncd-\(commandName)(1)" }

  /// The abstract without the full stop, as whatis(1) lists it.
  var summary: String { String((abstract ?? "").reversed().drop { $0 == "." }.reversed()) }

  /// Its commands except `help`.
  var commands: [CommandDescription] { (subcommands ?? []).filter { $0.commandName != "help" } }

  var positional: [Argument] { (arguments ?? []).filter { $0.shouldDisplay && $0.kind == "positional" } }

  /// Its options and flags.
  var shown: [Argument] { (arguments ?? []).filter { $0.shouldDisplay && $0.kind != "positional" } }
}

extension CommandDescription.Argument {
  /// Its form in the manual: `-n, --dry-run`, `--at <at>`, `[PATH ...]`.
  var title: String {
    let value = valueName?.uppercased() ?? "VALUE"
    guard kind != "positional" else {
      let name = value + (isRepeating ? " ..." : "")
      return isOptional ? "[\(name)]" : name
    }
    let names = (self.names ?? []).map { $0.kind == "short" ? "-\($0.name)" : "--\($0.name)" }
    return names.sorted { $0.count < $1.count }.joined(separator: ", ") + (kind == "option" ? " \(value)" : "")
  }

  var help: String { (abstract ?? "") + (defaultValue.map { " Default: \($0)." } ?? "") }
}
