import ArgumentParser
internal import CPOSIX
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd capture`: adds an entry to the store's inbox.
struct CaptureCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: "Add an entry to the store's inbox.",
    discussion: """
      The first line becomes the heading. The next pass sends the entry to the remotes. If a service or another command is \
      running, the entry is appended to the file at once, without waiting for a pass. With --template, one of Org's capture \
      templates decides what is added and where; they are in `org.json`, in the folder of the settings file. Example: \
      syncd capture -t t Buy milk
      """)

  @OptionGroup var options: EntryOptions
  @Option(name: .shortAndLong, help: "Key of a capture template.") var template: String?
  @Option(help: "Address of a link, for %a and %l in the template.") var link: String?
  @Option(help: "Description of the link.") var title: String?
  @Argument(help: "Text of the entry; quotes are not needed. `-` reads it from standard input.")
  var text: [String]

  func validate() throws {
    if template == nil, options.plan.dryRun || options.edit.describesCommand || link != nil || title != nil {
      throw ValidationError("--link, --title, --dry-run, --at, --note and --answer require --template")
    }
  }

  func run() async throws {
    if let template { return try await capture(template) }
    let configuration = try options.common.configuration()
    guard let path = SyncPath(configuration.store.settings.inbox) else {
      throw SyncError(
        .invalidSettings, "`inbox` in [store] is not a file in the store: \(configuration.store.settings.inbox)")
    }
    if configuration.store.seals.contains(where: { $0.seals(path) }) {
      throw SyncError(
        .invalidSettings,
        "cannot add a readable entry to the encrypted file \(path); set `inbox` in [store] to a plain Org file")
    }
    let entry = try CapturedEntry(text == ["-"] ? StandardInput.text() : text.joined(separator: " "))
    do { try await save(entry, in: path, configuration) } catch let lock as EditorLock { throw lock.reported() }
    LastEntry.record(in: configuration) { try lastEntry(entry, in: path, configuration) }
    if options.common.json { return Console.print(json: ["version": 1, "path": .string(path.description)]) }
    if !options.common.quiet { Console.print("added the entry to \(path)") }
  }

  /// Adds the entry to the file, unless an editor has unsaved changes in it.
  private func save(_ entry: CapturedEntry, in path: SyncPath, _ configuration: DaemonConfiguration) async throws {
    let patience = options.edit.patience
    let store = try configuration.store.files()
    try await EditorLock.wait(for: [path], in: store, patience: patience)
    do {
      try await add(entry, to: path, configuration)
    } catch let error as SyncError where [.locked, .changedMeanwhile].contains(error.code) {
      try await EditorLock.wait(for: [path], in: store, patience: patience)
      // As an editor would do it, which a running pass is prepared for; the next pass records it.
      try store.append(entry.addition(to:), to: path)
    }
  }

  /// The entry in its file.
  private func lastEntry(
    _ entry: CapturedEntry, in path: SyncPath, _ configuration: DaemonConfiguration
  ) throws -> LastEntry? {
    let file = String(decoding: path.bytes, as: UTF8.self)
    return try configuration.store.files().read(file).flatMap {
      LastEntry(titled: entry.title, in: file, content: $0.bytes)
    }
  }

  /// Adds what a template describes.
  private func capture(_ key: String) async throws {
    var capture = OrgCapture(key: key, text: text == ["-"] ? StandardInput.text() : text.joined(separator: " "))
    if let link { capture.link = (link, title ?? "") }
    let wanted = capture
    try await run { files, context throws(Refusal) in
      try OrgKit.apply(.capture(wanted), to: OrgPlace(file: "", entry: .preamble), in: &files, context)
    }
  }

  private func add(_ entry: CapturedEntry, to path: SyncPath, _ configuration: DaemonConfiguration) async throws {
    try await Workspace.with(configuration, .exclusiveNow) { workspace in
      let edit = try await StoreEdit(workspace, as: "captured with `syncd capture`")
      let present = try await edit.current(path)?.digest
      let content = if let present { try await workspace.archive.content(present) } else { Content?.none }
      let old = try await content?.bytes() ?? []
      try await edit.put(Content(entry.appended(to: old)), at: path)
    }
  }
}

/// An entry as a phone would capture it: a heading, a timestamp, and the remaining text.
struct CapturedEntry {
  let lines: [String]
  /// The title of the heading, as Org reads it.
  var title: String { OrgDocument(Array(lines[0].utf8)).entries.first?.title ?? "" }

  /// Throws a usage error if there is nothing to capture.
  init(_ text: String, at time: Timestamp = Runtime.real.now()) throws {
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard let heading = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("the entry has no text")
    }
    let rest = lines.drop { $0 != heading }.dropFirst()
    self.lines = ["* \(heading)", Self.timestamp(time)] + rest.map(Self.escaped)
  }

  /// Returns the text with the entry at its end, with the line ends of the text.
  func appended(to text: [UInt8]) -> [UInt8] { text + addition(to: text) }

  /// Returns what ``appended(to:)`` adds to a text.
  func addition(to text: [UInt8]) -> [UInt8] {
    let lineEnd = text.endsLinesWithCarriageReturns ? "\r\n" : "\n"
    let gap = text.isEmpty || text.last == UInt8(ascii: "\n") ? "" : lineEnd
    return Array((gap + lines.map { $0 + lineEnd }.joined()).utf8)
  }

  /// Returns the line as text that does not begin an entry.
  private static func escaped(_ line: String) -> String { line.hasPrefix("*") ? " " + line : line }

  /// Returns an inactive timestamp in local time, in Org's format.
  private static func timestamp(_ time: Timestamp) -> String {
    var parts = [CInt](repeating: 0, count: 6)
    unsafe posix_local_time(time.seconds, &parts)
    let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts[3])]
    let (year, month, date) = (parts[0], twoDigits(parts[1]), twoDigits(parts[2]))
    return "[\(year)-\(month)-\(date) \(day) \(twoDigits(parts[4])):\(twoDigits(parts[5]))]"
  }

  private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
