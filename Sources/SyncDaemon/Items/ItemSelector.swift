import OrgKit
package import SyncKit

/// A selector of an entry on the command line.
///
/// `id:ID` or the beginning of an ID, `FILE::Outline/Path` with `\/` for a slash in a title, `FILE:LINE`, `@clock` or `@last`.
package struct ItemSelector: Sendable, Hashable {
  /// The kind of a selector.
  package enum Kind: Sendable, Hashable {
    /// The property `ID`, or its first characters.
    case id(String)
    /// The titles from the top of a file.
    case path(file: String, [String])
    /// A line of a file, counted from 1.
    case line(file: String, Int)
    /// A file.
    case file(String)
    /// The entry with the running clock.
    case clock
    /// The entry that the last command made or changed; nil if it is not known.
    case last(LastEntry?)
  }

  /// The text as it was given.
  package let text: String
  /// What the text means.
  package let kind: Kind

  /// Parses a selector; returns nil for an empty text.
  package init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
    if text == "@clock" {
      kind = .clock
    } else if text == "@last" {
      kind = .last(nil)
    } else if text.hasPrefix("id:") {
      kind = .id(String(text.dropFirst(3)))
    } else if let colons = text.firstRange(of: "::") {
      let path = Self.titles(text[colons.upperBound...])
      kind =
        path.isEmpty ? .file(String(text[..<colons.lowerBound])) : .path(file: String(text[..<colons.lowerBound]), path)
    } else if let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]), line > 0 {
      kind = .line(file: String(text[..<colon]), line)
    } else {
      kind = text.hasSuffix(".org") || Self.isEncrypted(text) ? .file(text) : .id(text)
    }
  }

  /// True for a file that the user has encrypted, which commands on entries neither read nor change.
  static func isEncrypted(_ file: String) -> Bool { [".org.gpg", ".org.age"].contains { file.hasSuffix($0) } }

  private init(_ text: String, _ kind: Kind) { (self.text, self.kind) = (text, kind) }

  /// Returns the selector with the entry that `@last` means on this device.
  package func resolved(in state: StateFolder) throws(SyncError) -> ItemSelector {
    guard case .last = kind else { return self }
    return ItemSelector(text, .last(try state.lastEntry()))
  }

  /// Splits an outline path at slashes that have no backslash.
  private static func titles(_ text: Substring) -> [String] {
    var titles = [""]
    var isEscaped = false
    for character in text.unicodeScalars {
      if character == "/", !isEscaped {
        titles.append("")
        continue
      }
      if isEscaped, character != "/" { titles[titles.count - 1].unicodeScalars.append("\\") }
      isEscaped = character == "\\"
      if !isEscaped { titles[titles.count - 1].unicodeScalars.append(character) }
    }
    return titles.filter { !$0.isEmpty }
  }

  /// Returns the place that the selector names. Several entries with the beginning of an ID are listed in the refusal.
  func place(in files: inout OrgFileSet, _ context: OrgContext) throws(Refusal) -> OrgPlace {
    switch kind {
    case .path(let file, let path): return OrgPlace(file: file, entry: .path(path))
    case .line(let file, let line): return OrgPlace(file: file, entry: .line(line))
    case .file(let file): return OrgPlace(file: file, entry: .preamble)
    case .id(let id): return try place(id: id, in: &files, context)
    case .clock: return try runningClock(in: &files, context)
    case .last(let entry):
      if let entry { return try entry.place(in: &files) }
      throw Refusal(.notFound, "no command has changed an entry on this device yet; name an entry by FILE::Title")
    }
  }

  /// Returns the entry with the running clock; throws if there is none, or if several clocks run.
  private func runningClock(in files: inout OrgFileSet, _ context: OrgContext) throws(Refusal) -> OrgPlace {
    guard let place = try OrgKit.runningClock(in: &files, context) else {
      throw Refusal(.notFound, "no clock is running; start one with `syncd clock in`")
    }
    let running = files.items(containing: "CLOCK:", context.settings).filter {
      $0.log.contains(where: \.isRunningClock)
    }
    guard running.count > 1 else { return place }
    throw Refusal(
      .blocked, "the clocks of \(running.count) entries run: \(Self.places(of: running)); name one by FILE:LINE")
  }

  private func place(id: String, in files: inout OrgFileSet, _ context: OrgContext) throws(Refusal) -> OrgPlace {
    let found = files.items(containing: id, context.settings).filter { item in
      item.id.map { $0 == id || id.count >= 4 && $0.hasPrefix(id) } ?? false
    }
    let exact = found.filter { $0.id == id }
    guard exact.count < 2 else {
      throw Refusal(
        .blocked, "\(exact.count) entries have the ID \(id): \(Self.places(of: exact)); name one by FILE:LINE")
    }
    guard let first = exact.first ?? found.first, let own = first.id else {
      throw Refusal(
        .notFound, "no entry has the ID \(id); use FILE::Title, FILE:LINE or an ID of at least 4 characters")
    }
    guard exact.count == 1 || found.count == 1 else {
      let list = found.map { "\($0.id ?? "") \($0.title) (\($0.file))" }.joined(separator: "\n  ")
      throw Refusal(.blocked, "\(found.count) entries have an ID that begins with \(id):\n  \(list)")
    }
    return OrgPlace(file: first.file, entry: .id(own))
  }

  private static func places(of items: [OrgItem]) -> String {
    items.prefix(10).map { "\($0.file):\($0.line)" }.joined(separator: ", ")
  }
}

extension OrgFileSet {
  /// Returns the entries of all files that contain a text.
  fileprivate mutating func items(containing text: String, _ settings: OrgSettings) -> [OrgItem] {
    var items: [OrgItem] = []
    for name in names {
      guard let content = self[name], content.contains(bytesOf: text) else { continue }
      items += OrgItems(OrgDocument(content, todoKeywords: settings.todoLines), file: name)
    }
    return items
  }
}

extension [UInt8] {
  fileprivate func contains(bytesOf text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
