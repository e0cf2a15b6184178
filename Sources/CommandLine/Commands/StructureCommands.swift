import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd refile`: moves an entry below another one.
struct RefileCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "refile", abstract: "Move an entry below another one, or into another file.",
    discussion: "Example: syncd refile 3f2a work.org::Projects/House")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Target: an entry like ENTRY, or a file.") var target: EntryArgument
  @Flag(help: "Keep the entry where it is too; the copy gets a new ID.") var copy = false
  @Option(help: "Title of a new entry below the target that receives the entry.") var new: String?
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let (selector, target, copy, new) = (try selector(entry), try selector(target), copy, new)
    try await run { files, context throws(Refusal) in
      let goal = try target.existingPlace(in: &files, context)
      return try selector.apply(
        .refile(OrgRefile(to: .place(goal), newChild: new, isCopy: copy)), in: &files, context)
    }
  }
}

/// `syncd archive`: archives an entry.
struct ArchiveCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Archive an entry.",
    discussion: """
      The place is Org's: the property ARCHIVE, the line #+ARCHIVE of the file, or the file with _archive behind its name. \
      Example: syncd archive 3f2a
      """)

  /// The way to archive.
  enum Kind: String, ExpressibleByArgument, CaseIterable { case subtree, sibling, tag }

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Option(name: .customLong("to"), help: "subtree, sibling or tag.") var kind = Kind.subtree
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let archive: OrgArchive =
      switch kind {
      case .subtree: .subtree
      case .sibling: .sibling
      case .tag: .tag
      }
    try await apply(.archive(archive), to: entry)
  }
}

/// `syncd sort`: sorts the children of an entry.
struct SortCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "sort", abstract: "Sort the children of an entry, or the entries of a file.",
    discussion: "Example: syncd sort notes.org::Projects --by o")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Option(
    help:
      "Org's letter: a text, n number, t time, s scheduled, d deadline, p priority, o state, k clock, c creation, r property; a capital reverses."
  )
  var by: String
  @Option(help: "Property for --by r.") var property: String?
  @OptionGroup var options: EntryOptions

  func validate() throws {
    guard by.count == 1 else { throw ValidationError("--by takes one letter") }
  }

  func run() async throws { try await apply(.sort(OrgSort(by: by.first ?? "a", property: property)), to: entry) }
}

/// `syncd move`: moves an entry among its siblings.
struct MoveCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move an entry among its siblings.", discussion: "Example: syncd move 3f2a --up 2")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Option(help: "Number of siblings to move up.") var up: Int?
  @Option(help: "Number of siblings to move down.") var down: Int?
  @OptionGroup var options: EntryOptions

  func validate() throws {
    guard (up == nil) != (down == nil), up ?? down ?? 0 > 0 else { throw ValidationError("give --up N or --down N") }
  }

  func run() async throws { try await apply(.move(by: down ?? -(up ?? 0)), to: entry) }
}

/// `syncd new`: inserts an entry.
struct NewCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Insert an entry beside another one, or below it.",
    discussion: "Example: syncd new notes.org::Project \"Buy paint\" --child")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Title of the new entry.") var title: String
  @Flag(help: "Insert it as the last child.") var child = false
  @Flag(help: "Insert it before the entry.") var before = false
  @Flag(help: "Make it a task.") var task = false
  @OptionGroup var options: EntryOptions

  func validate() throws {
    guard !before || !child && !task else { throw ValidationError("--before goes with neither --child nor --task") }
    try validateTitle(title)
  }

  func run() async throws {
    let insertion: OrgInsertion =
      child ? (task ? .lastChildTask : .lastChild) : before ? .before : task ? .task : .after
    try await apply(.insertHeading(insertion, title: title), to: entry)
  }
}

/// `syncd delete`: removes an entry.
struct DeleteCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove an entry with everything below it; `syncd undo` brings it back.",
    discussion: "Example: syncd delete notes.org::Old --dry-run")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @OptionGroup var options: EntryOptions

  func run() async throws {
    if case .file = entry.selector.kind {
      throw ValidationError("name an entry of the file, such as \(entry.selector.text)::Title")
    }
    try await apply(.delete, to: entry)
  }
}

/// `syncd clock`: the clock of entries.
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Clock the time of entries.",
    subcommands: [ClockInCommand.self, ClockOutCommand.self, ClockCancelCommand.self])
}

/// `syncd clock in`: starts the clock.
struct ClockInCommand: EntryEditing {
  static let words = "clock in"
  static let configuration = CommandConfiguration(
    commandName: "in", abstract: "Start the clock on an entry; a running one is stopped first.",
    discussion: "Example: syncd clock in 3f2a")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @OptionGroup var options: EntryOptions

  func run() async throws { try await apply(.clockIn(), to: entry) }
}

/// `syncd clock out`: stops the clock.
struct ClockOutCommand: EntryEditing {
  static let words = "clock out"
  static let configuration = CommandConfiguration(
    commandName: "out", abstract: "Stop the running clock, also one that Emacs has started.")

  @OptionGroup var options: EntryOptions

  func run() async throws { try await applyToClock(.clockOut()) }
}

/// `syncd clock cancel`: removes the running clock.
struct ClockCancelCommand: EntryEditing {
  static let words = "clock cancel"
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Remove the running clock without a trace.")

  @OptionGroup var options: EntryOptions

  func run() async throws { try await applyToClock(.clockCancel) }
}

extension EntryEditing {
  /// Applies a verb to the entry with the running clock.
  fileprivate func applyToClock(_ verb: OrgVerb) async throws {
    try await run { files, context throws(Refusal) in
      let first = files.names.first ?? ""
      return try OrgKit.apply(verb, to: OrgPlace(file: first, entry: .preamble), in: &files, context)
    }
  }
}
