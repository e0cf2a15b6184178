import ArchiveSQLite
package import OrgKit
package import SyncKit

/// The entry that the last command on this device made or changed, which the selector `@last` names.
///
/// Other programs may have changed the file since, so the entry is found by its line and its titles, or by its ID.
package struct LastEntry: Sendable, Hashable {
  /// The file.
  package let file: String
  /// The line of its headline, counted from 1.
  package let line: Int
  /// The property `ID`.
  package let id: String?
  /// The titles from the top of the file, without statistics.
  package let path: [String]

  /// The entry whose headline is in a line of a file; nil if the line is not one.
  package init?(file: String, line: Int, in files: inout OrgFileSet) {
    guard let item = files.items(of: file).first(where: { $0.line == line }) else { return nil }
    self.init(item)
  }

  /// The last entry of a file that has a title; nil if none has it.
  package init?(titled title: String, in file: String, content: [UInt8]) {
    var files = OrgFileSet([file: content])
    guard let item = files.items(of: file).last(where: { $0.title == title }) else { return nil }
    self.init(item)
  }

  private init(_ item: OrgItem) {
    (file, line, id, path) = (item.file, item.line, item.id, item.titles)
  }

  /// Parses the text of ``text``; nil if it is damaged.
  package init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 5, lines.last?.isEmpty == true, let line = Int(lines[1]) else { return nil }
    (file, self.line, id) = (lines[0], line, lines[2].isEmpty ? nil : lines[2])
    path = Array(lines[3...].dropLast())
  }

  /// The file, the line, the ID and each title as a line; nil if the name of the file has a line break.
  package var text: String? {
    guard !file.contains("\n") else { return nil }
    return ([file, "\(line)", id ?? ""] + path).map { $0 + "\n" }.joined()
  }

  /// Returns where the entry is now. Throws if it is gone, or if several entries could be it.
  package func place(in files: inout OrgFileSet) throws(Refusal) -> OrgPlace {
    let items = files.items(of: file)
    let alike = items.filter { $0.titles == path }
    let same = items.filter { id != nil && $0.id == id }
    let found = alike.filter { $0.line == line } + (same.count == 1 ? same : []) + (alike.count == 1 ? alike : [])
    if let item = found.first { return OrgPlace(file: file, entry: .line(item.line)) }
    let name = path.joined(separator: "/")
    guard same.count < 2 else {
      throw Refusal(
        .notFound, "\(same.count) entries of \(file) have the ID of the last entry, \(name); name one by FILE:LINE")
    }
    throw Refusal(
      .notFound,
      alike.isEmpty
        ? "the last entry, \(name), is not in \(file) now; name an entry by FILE::Title"
        : "\(alike.count) entries are called \(name) in \(file), and the last entry was moved; name one by FILE:LINE")
  }
}

extension LastEntry {
  /// Returns the line of the entry after a verb that changed its file; nil if the verb removed it.
  func line(after verb: OrgVerb, in files: inout OrgFileSet) -> Int? {
    if case .delete = verb { return nil }
    let items = files.items(of: file)
    let alike = items.filter { $0.titles == path }
    if case .move = verb { return alike.count == 1 ? alike.first?.line : nil }
    // A verb that changes an entry leaves its headline in its line, also if it changes the title.
    return items.first { $0.line == line }?.line
  }
}

extension ItemEdit.Result {
  /// The entry that the edit made or changed; nil if it deleted one.
  package var lastEntry: LastEntry? {
    for case .entry(let file, let line) in effects {
      guard let path = SyncPath(file), let change = changes.first(where: { $0.path == path }) else { continue }
      var files = OrgFileSet([file: change.new])
      return LastEntry(file: file, line: line, in: &files)
    }
    return nil
  }
}

extension OrgFileSet {
  fileprivate mutating func items(of file: String) -> [OrgItem] {
    self[file].map { Array(OrgItems(OrgDocument($0), file: file)) } ?? []
  }
}

extension OrgItem {
  /// The titles without statistics, which change with the children.
  fileprivate var titles: [String] { path.map(\.withoutStatistics) }
}

extension StateFolder {
  /// The entry that the last command made or changed; nil if none did.
  package func lastEntry() throws(SyncError) -> LastEntry? {
    guard let file = try StateFile(ifPresent: file("last-entry")) else { return nil }
    return LastEntry(text: String(decoding: try file.read(atMost: 1 << 20), as: UTF8.self))
  }

  /// Records the entry that a command made or changed.
  package func record(last entry: LastEntry) throws(SyncError) {
    guard let text = entry.text else { return }
    try create()
    try StateFile.replace(file("last-entry"), with: Array(text.utf8))
  }
}
