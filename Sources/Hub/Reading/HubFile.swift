import OrgKit
import SyncKit

/// One Org file with the identifiers and revisions of its entries.
final class HubFile: Sendable {
  let path: String
  /// The digest of the file's content.
  let digest: Digest
  let document: OrgDocument
  /// The entries in the order of the file.
  let items: [OrgItem]
  /// The identifiers of the entries.
  let ids: [String]

  init(_ path: String, _ content: [UInt8], _ settings: OrgSettings) {
    self.path = path
    digest = Digest(of: content)
    document = OrgDocument(content, todoKeywords: settings.todoLines)
    let excluded = settings["org-tags-exclude-from-inheritance"]?.elements?.compactMap(\.text) ?? []
    items = Array(OrgItems(document, file: path, uninheritedTags: Set(excluded)))
    ids = ItemID.entries(items, in: path)
  }

  /// Returns the place of the entry with an identifier.
  func place(id: String) -> Int? { ids.firstIndex(of: id) }

  /// Returns the place of the entry whose headline is at a line.
  func place(line: Int) -> Int? {
    // The entries are in the order of their lines.
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].line < line { low = middle + 1 } else { high = middle }
    }
    return low < items.count && items[low].line == line ? low : nil
  }

  /// The digest of an entry's headline and section, without children: another one after each change of them.
  func revision(_ place: Int) -> String { Self.short(document.entries[place].bytes) }

  /// The digest of an entry with everything below it.
  func subtreeRevision(_ place: Int) -> String { Self.short(document.entries[place].subtree) }

  private static func short(_ bytes: ArraySlice<UInt8>) -> String {
    String(Digest(of: bytes).description.prefix(32))
  }

  /// The text of an entry below planning line, drawers and clock lines, without blank lines at its end: what `body` replaces.
  func body(_ place: Int) -> String { EntryBody.text(of: document.entries[place]) }
}

/// The text of an entry without its meta data, which the verb `body` replaces.
enum EntryBody {
  static func text(of entry: OrgEntry) -> String {
    var lines = entry.body.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let first = lines.first {
      let text = first.drop { $0 == " " || $0 == "\t" }
      if text.allSatisfy(\.isWhitespace) || text.hasPrefix("CLOCK:") {
        lines.removeFirst()
      } else if isDrawer(text), let end = lines.dropFirst().firstIndex(where: isEnd) {
        lines = lines[(end + 1)...]
      } else {
        break
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func isDrawer(_ line: Substring) -> Bool {
    let name = line.reversed().drop(while: \.isWhitespace).reversed()
    return name.count > 2 && name.first == ":" && name.last == ":"
      && name.dropFirst().dropLast().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }

  private static func isEnd(_ line: Substring) -> Bool {
    line.lowercased().filter { !$0.isWhitespace } == ":end:"
  }
}
