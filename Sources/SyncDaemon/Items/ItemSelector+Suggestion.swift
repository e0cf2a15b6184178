package import OrgKit
import SettingsRegistry
import SyncKit

extension ItemSelector {
  /// Applies a verb to the entry, or to an item of its lists. If it does not exist, the refusal names the nearest ones. The effects
  /// have the place of the entry after the change, unless it was deleted.
  package func apply(
    _ verb: OrgVerb, item: String? = nil, in files: inout OrgFileSet, _ context: OrgContext
  ) throws(Refusal) -> [OrgEffect] {
    var place = try existingPlace(in: &files, context)
    if let item { try Self.requireOne(item, at: place, in: &files, context) }
    let former = try headline(at: place, in: &files, context).flatMap { line in
      LastEntry(file: place.file, line: line, in: &files)
    }
    place.item = item
    let effects = try OrgKit.apply(verb, to: place, in: &files, context)
    let hasPlace = effects.contains { if case .entry = $0 { true } else { false } }
    guard !hasPlace, let former, let line = former.line(after: verb, in: &files) else { return effects }
    return effects + [.entry(file: former.file, line: line)]
  }

  /// Returns the place that the selector names; if it does not exist, the refusal names the nearest ones, and if it could be one of
  /// several, these.
  package func existingPlace(in files: inout OrgFileSet, _ context: OrgContext) throws(Refusal) -> OrgPlace {
    let place = try place(in: &files, context)
    switch kind {
    case .id, .clock, .last: return place
    case .path, .line, .file: break
    }
    guard !Self.isEncrypted(place.file) else {
      throw Refusal(
        .invalid, "\(place.file) is encrypted, and encrypted files are neither read nor edited by commands on entries")
    }
    guard let content = files[place.file] else {
      // A new file can be the target of a refile or capture.
      if case .file = kind { return place }
      throw Self.missing(place.file, among: files.names)
    }
    if case .line(let file, let line) = kind { try Self.require(line, of: file, content) }
    guard case .path(let file, let path) = kind else { return place }
    do { _ = try headline(at: place, in: &files, context) } catch {
      let document = OrgDocument(content, todoKeywords: context.settings.todoLines)
      let paths = OrgItems(document, file: file).map { $0.path.map(\.withoutStatistics) }
      throw Refusal(error.kind, error.description + Self.suggestion(for: path, among: paths, in: file))
    }
    let lines = try headlines(at: path, of: file, in: &files, context)
    guard lines.count > 1 else { return place }
    let places = lines.prefix(10).map { "\(file):\($0)" }.joined(separator: ", ")
    throw Refusal(.blocked, "\(lines.count) entries are called \(text); choose one by its line: \(places)")
  }

  private static func require(_ line: Int, of file: String, _ content: [UInt8]) throws(Refusal) {
    let count = content.reduce(content.last == 0x0A ? 0 : 1) { $1 == 0x0A ? $0 + 1 : $0 }
    guard line > count else { return }
    throw Refusal(.notFound, "\(file) has no line \(line): it has \(count.counted("line"))")
  }

  /// Throws if the beginning of an item's text fits several items of the place, unless it is the whole text of one.
  private static func requireOne(
    _ item: String, at place: OrgPlace, in files: inout OrgFileSet, _ context: OrgContext
  ) throws(Refusal) {
    let texts = try items(beginningWith: item, at: place, in: &files, context)
    guard texts.count > 1 else { return }
    let list = texts.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
    throw Refusal(.blocked, "\(texts.count) items begin with \"\(item)\": \(list); write more of the text")
  }

  private static func missing(_ file: String, among names: [String]) -> Refusal {
    let nearest = names.nearest(to: file).map { "; did you mean \($0)?" } ?? ""
    return Refusal(.notFound, "file \(file) not found\(nearest)")
  }

  /// The headings with the same title elsewhere, otherwise the one with the nearest title.
  private static func suggestion(for path: [String], among paths: [[String]], in file: String) -> String {
    guard let title = path.last?.lowercased() else { return "" }
    var found = paths.filter { $0.last?.lowercased() == title }
    if found.isEmpty, let nearest = paths.compactMap(\.last).nearest(to: title) {
      found = paths.filter { $0.last == nearest }
    }
    let names = found.prefix(3).map { path in
      "\(file)::" + path.map { $0.replacing("/", with: "\\/") }.joined(separator: "/")
    }
    return names.isEmpty ? "" : "; did you mean \(names.joined(separator: " or "))?"
  }
}
