/// The subtrees of an Org file that match, as a file of their own.
///
/// The file has the settings lines that its headlines and tags need, then every shown entry in the order of the whole file. An
/// entry whose parent is not shown is at the top level. Nothing else of the file is in it: no parent headline, no title, no
/// other text above the first headline, no entry that is not shown.
public struct OrgPart: Sendable {
  /// The bytes of the file with the matching subtrees.
  public let bytes: [UInt8]
  let whole: OrgDocument
  let match: OrgMatch
  /// True for the entries of the whole file that are in the part, by node.
  let isShown: [Bool]
  /// The node of the whole file for each node of the part; the root for the root.
  let origins: [Int]
  /// The settings lines in the part.
  let settings: [Bytes]

  /// The result of selecting subtrees.
  public enum Selection: Sendable {
    /// The file has matching subtrees.
    case part(OrgPart)
    /// No entry of the file matches.
    case nothing(OrgPart)
    /// It is not certain which entries match, for this reason; none may be shown.
    case uncertain(String)
  }

  /// Selects the subtrees of a file that match.
  public static func select(_ match: OrgMatch, in file: [UInt8]) -> Selection {
    guard !OrgMerge.isBinary(file), !file.contains(0), file.isUTF8 else {
      return .uncertain("a file that is not text in UTF-8")
    }
    let document = OrgDocument(file)
    if let reason = uncertainty(of: document) { return .uncertain(reason) }
    let part = OrgPart(document, match)
    return part.isEmpty ? .nothing(part) : .part(part)
  }

  /// True if no entry is shown.
  public var isEmpty: Bool { origins.count == 1 }

  /// The number of entries in the part.
  public var entryCount: Int { origins.count - 1 }

  /// The number of entries in the whole file.
  public var wholeEntryCount: Int { whole.entries.count }

  private init(_ document: OrgDocument, _ match: OrgMatch) {
    whole = document
    self.match = match
    isShown = SelectedEntries(of: document, match).isShown
    var text = PartText(document, isShown)
    settings = isShown.contains(true) ? Self.settings(of: document) : []
    text.write(settings)
    (bytes, origins) = (text.bytes, text.origins)
  }

  private static func settings(of document: OrgDocument) -> [Bytes] {
    document.outline.section(0).lines.filter { KeywordLine($0)?.isNeeded ?? false }
  }

  /// Returns the reason why the tags and states of a file's entries are uncertain; nil if they are not.
  private static func uncertainty(of document: OrgDocument) -> String? {
    let outline = document.outline
    var isInBlock = false
    for node in outline.nodes.indices {
      for line in outline.section(node).lines {
        guard let first = line.firstNonBlank, first == UInt8(ascii: "#") else { continue }
        let text = line.trimmedLeft
        if text.hasPrefix(ignoringCase: "#+begin") { isInBlock = true }
        if text.hasPrefix(ignoringCase: "#+end") { isInBlock = false }
        guard let keyword = KeywordLine(line) else { continue }
        if keyword.key.equals(ignoringCase: "setupfile") {
          return "a file with #+SETUPFILE, which may set other tags"
        }
        if keyword.decidesMatches, node > 0 || isInBlock {
          return "a file with #+\(keyword.key.string) \(node > 0 ? "below its first headline" : "in a block")"
        }
      }
    }
    return TagGroups(document).hasPattern ? "a file with a pattern in a tag group" : nil
  }
}

/// Collects the text of a part.
private struct PartText {
  private let outline: Outline
  private let lineEnd: [UInt8]
  private let isShown: [Bool]
  private(set) var bytes: [UInt8] = []
  private(set) var origins = [0]

  init(_ document: OrgDocument, _ isShown: [Bool]) {
    outline = document.outline
    lineEnd = document.lineEnd
    self.isShown = isShown
  }

  mutating func write(_ settings: [Bytes]) {
    for line in settings { bytes += line + [.newline] }
    for node in isShown.indices where isShown[node] && !isShown[outline.nodes[node].parent] {
      write(node, lowering: outline.nodes[node].level - 1)
    }
  }

  /// Writes an entry with its shown children before any other entry that is shown below a hidden child.
  private mutating func write(_ node: Int, lowering: Int) {
    let gap = bytes.isEmpty ? [] : outline.gap(node)
    let stars = Array(repeating: UInt8.star, count: outline.nodes[node].level - lowering)
    bytes += gap + stars + outline.entryWithoutStars(node)
    if bytes.last != .newline { bytes += lineEnd }
    origins.append(node)
    for child in outline.children(of: node) where isShown[child] { write(child, lowering: lowering) }
  }
}

extension KeywordLine {
  /// True if headlines and tags cannot be read without the line.
  var isNeeded: Bool {
    declaresKeywords || key.equals(ignoringCase: "filetags") || key.equals(ignoringCase: "priorities")
  }

  /// True if the line decides which entries match.
  fileprivate var decidesMatches: Bool {
    declaresKeywords || key.equals(ignoringCase: "filetags") || key.equals(ignoringCase: "tags")
  }
}

extension [UInt8] {
  fileprivate var isUTF8: Bool { String(validating: self, as: UTF8.self) != nil }
}
