import ArgumentParser
import OrgKit

/// A heading of a file on the command line, as in Org's links: `*Title`, an outline path `*Title/Inner title`, or `#custom-id`.
enum HeadingName: Hashable, Sendable {
  case title(String)
  case id(String)

  init?(_ text: some StringProtocol) {
    guard text.count > 1 else { return nil }
    switch text.first {
    case "*": self = .title(String(text.dropFirst()))
    case "#": self = .id(String(text.dropFirst()))
    default: return nil
    }
  }

  /// Returns the position of the first entry with this name; nil if there is none.
  func place(in document: OrgDocument) -> Int? {
    switch self {
    case .id(let id):
      return (document.entry(customID: id) ?? document.entry(id: id)).flatMap { document.place(of: $0) }
    case .title(let title):
      if let place = document.entries.firstIndex(where: { $0.title == title }) { return place }
      return document.entry(outlinePath: title).flatMap { document.place(of: $0) }
    }
  }
}

extension OrgDocument {
  fileprivate func place(of entry: OrgEntry) -> Int? { entries.firstIndex { $0.index == entry.index } }
}

/// A file on the command line, or one heading of it: `notes.org`, `notes.org::*Title`.
struct LogSubject: ExpressibleByArgument {
  let path: StorePath
  /// Nil for the whole file.
  let heading: HeadingName?

  init?(argument: String) {
    let parts = argument.split(separator: "::", omittingEmptySubsequences: false)
    heading = parts.count > 1 ? parts.last.flatMap { HeadingName($0) } : nil
    let file = heading == nil ? argument : parts.dropLast().joined(separator: "::")
    guard let path = StorePath(argument: file) else { return nil }
    self.path = path
  }
}
