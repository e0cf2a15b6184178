import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd share`: prints an entry in the format of other programs.
struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Print an entry as text, Markdown, HTML, Org or a calendar.",
    discussion: """
      Prints the entry with everything below it, without drawers, logs and properties. --meta adds states, tags and dates.

      EXAMPLES
        syncd share notes.org::Trip --as markdown
        syncd share 3f2a --as html --meta > trip.html
        syncd share notes.org::Meeting --as ics > meeting.ics
      """)

  /// A format.
  enum Format: String, CaseIterable, ExpressibleByArgument { case text, markdown, html, org, ics }

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Option(name: .customLong("as"), help: "Format.") var format = Format.text
  @Flag(help: "Add states, tags and dates.") var meta = false
  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions

  func run() async throws {
    try await options.with(common) { items in
      var files = items.files
      let context = OrgContext(now: items.now, zone: .local, settings: items.settings) { "" }
      let state = StateFolder(path: try common.configuration().stateFolder)
      let place = try entry.selector.resolved(in: state).existingPlace(in: &files, context)
      let line = try headline(at: place, in: &files, context)
      guard let content = files[place.file], let line,
        let found = OrgDocument(content, todoKeywords: items.settings.todoLines).entry(atLine: line)
      else { throw ValidationError("\(entry.selector.text) names a file; name an entry of it, such as FILE::Title") }
      Console.print(bytes: Array(text(of: found, in: place.file, items).utf8))
    }
  }

  private func text(of entry: OrgEntry, in file: String, _ items: StoreItems) -> String {
    if let format = OrgShare.Format(rawValue: format.rawValue) {
      return OrgShare(as: format, hasMetaData: meta).text(of: entry)
    }
    let entries = entry.document.entries[entry.place..<(entry.place + entry.subtreeCount)]
    let lines = OrgItems(entry.document, file: file).dropFirst(entry.place).prefix(entries.count)
    let texts = Dictionary(zip(lines.map(\.line), entries.map(\.body))) { first, _ in first }
    let export = CalendarExport(items.settings, now: items.now, zone: .namedLocal) { $0.stableID }
    return export.calendar(Array(lines), name: entry.title, owner: "syncd", description: "") { texts[$0.line] ?? "" }
  }
}
