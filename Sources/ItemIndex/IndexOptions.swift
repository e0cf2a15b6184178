package import OrgKit

/// The settings on which the items of all files depend. An index made with others is built again.
package struct IndexOptions: Sendable, Hashable {
  /// The values of `#+TODO:` lines for files that declare none.
  var todoLines: [String]
  /// The tags that children do not have from their parents.
  var uninheritedTags: [String]

  package init(_ settings: OrgSettings) {
    todoLines = settings.todoLines
    uninheritedTags = settings["org-tags-exclude-from-inheritance"]?.elements?.compactMap(\.text) ?? []
  }

  /// The options as text.
  var text: String { (todoLines + [""] + uninheritedTags).joined(separator: "\u{1F}") }

  /// Returns a file.
  func document(_ bytes: [UInt8]) -> OrgDocument { OrgDocument(bytes, todoKeywords: todoLines) }

  /// Returns the reader of a file's items.
  func reader(_ document: OrgDocument, file: String) -> OrgItemReader {
    OrgItemReader(document, file: file, uninheritedTags: Set(uninheritedTags))
  }
}
