/// An entry with everything below it as text for other programs. Drawers, logs, comments and properties are left out.
public struct OrgShare: Sendable {
  /// A format.
  public enum Format: String, Sendable, CaseIterable {
    /// The Org text, with the entry at the top level.
    case org
    /// Plain text.
    case text
    case markdown
    case html
  }

  private let format: Format
  /// True to add states, tags and dates.
  private let hasMetaData: Bool

  /// A share in a format; with `hasMetaData` it has states, tags and planned dates too.
  public init(as format: Format, hasMetaData: Bool = false) {
    (self.format, self.hasMetaData) = (format, hasMetaData)
  }

  /// Returns the text of an entry.
  public func text(of entry: OrgEntry) -> String {
    let writer: any ShareWriter
    switch format {
    case .org: return org(entry)
    case .text: writer = ShareText()
    case .markdown: writer = ShareMarkdown()
    case .html: writer = ShareHTML()
    }
    return parts(of: entry, level: 1, writer).joined(separator: writer.separator) + "\n"
  }

  /// Returns a text without a headline, such as the description of an event, as plain text.
  static func plainText(_ text: String) -> String {
    let writer = ShareText()
    return SharedBlock.blocks(OrgDocument(text).preamble).map(writer.block).joined(separator: "\n\n")
  }

  private func parts(of entry: OrgEntry, level: Int, _ writer: any ShareWriter) -> [String] {
    var parts = [writer.heading(InlineText.parts(of: title(of: entry)), level: level)]
    if hasMetaData, let dates = dates(of: entry) { parts.append(writer.block(.paragraph([dates]))) }
    parts += SharedBlock.blocks(entry.blocks).map(writer.block)
    return parts + entry.children.flatMap { self.parts(of: $0, level: level + 1, writer) }
  }

  private func title(of entry: OrgEntry) -> String {
    guard hasMetaData else { return entry.title }
    let tags = entry.tags.isEmpty ? nil : "(\(entry.tags.joined(separator: ", ")))"
    return [entry.keyword, entry.title, tags].compactMap(\.self).joined(separator: " ")
  }

  private func dates(of entry: OrgEntry) -> String? {
    let dates = [
      entry.scheduled.map { "Scheduled: \($0.plain)" }, entry.deadline.map { "Deadline: \($0.plain)" },
      entry.closed.map { "Closed: \($0.plain)" },
    ].compactMap(\.self)
    return dates.isEmpty ? nil : dates.joined(separator: ", ")
  }

  private func org(_ entry: OrgEntry) -> String {
    let outline = Outline(Array(entry.subtree))
    let bytes = outline.nodes.indices.dropFirst().flatMap { index in
      outline.text[outline.nodes[index].gapStart..<outline.nodes[index].start]
        + Array(repeating: UInt8.star, count: outline.nodes[index].level - entry.level + 1)
        + outline.entryWithoutStars(index)
    }
    return bytes.string + (bytes.last == .newline ? "" : "\n")
  }
}

extension OrgTimestamp {
  /// The timestamp without its brackets.
  fileprivate var plain: String { String(description.dropFirst().dropLast()) }
}

/// Writes the parts of an entry in one format.
protocol ShareWriter {
  /// The text between two parts.
  var separator: String { get }

  func heading(_ title: [InlineText], level: Int) -> String
  func block(_ block: SharedBlock) -> String
}
