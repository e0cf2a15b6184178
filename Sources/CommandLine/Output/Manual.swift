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
    var pages = ["syncd.1": try commands(), "syncd.toml.5": settings]
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
  private func commands() throws -> String {
    let root = try CommandDescription.root()
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
    for command in root.commands { write(command, under: [], shared: root.shown.map(\.title), to: &text) }
    text.heading("EXIT STATUS")
    for (status, meaning) in Self.exitStatus { text.item("\(status)", meaning) }
    text.heading("FILES")
    text.item("~/.config/syncd/settings.toml", "Settings; see syncd.toml(5).")
    text.item(
      "~/.local/state/syncd", "State: the base of each remote, previous versions, the lock, the control socket.")
    text.heading("ENVIRONMENT")
    text.item("SYNCD_SETTINGS", "Settings file, if --settings is not given.")
    text.heading("SEE ALSO")
    text.paragraph((["syncd.toml(5)"] + pluginPages).joined(separator: ", "))
    return text.text
  }

  private func write(
    _ command: CommandDescription, under parents: [String], shared: [String], to text: inout ManualText
  ) {
    let names = parents + [command.commandName]
    if command.commands.isEmpty || !command.positional.isEmpty {
      text.subheading(([names.joined(separator: " ")] + command.positional.map(\.title)).joined(separator: " "))
      text.paragraph([command.abstract, command.discussion].compactMap(\.self).joined(separator: " "))
      for argument in command.shown where !shared.contains(argument.title) { text.item(argument.title, argument.help) }
    }
    for inner in command.commands { write(inner, under: names, shared: shared, to: &text) }
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

  mutating func heading(_ title: String) { line(".SH \"\(Self.escaped(title))\"") }

  mutating func subheading(_ title: String) { line(".SS \"\(Self.escaped(title))\"") }

  mutating func paragraph(_ words: String) {
    line(".PP")
    line(Self.escaped(words))
  }

  mutating func item(_ term: String, _ words: String) {
    line(".TP")
    line(".B \"\(Self.escaped(term))\"")
    line(Self.escaped(words))
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
