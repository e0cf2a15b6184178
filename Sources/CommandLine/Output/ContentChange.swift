import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// Two versions of a file, and their differences as text for people.
struct ContentChange {
  let path: SyncPath
  /// Nil if the file did not exist.
  let old: [UInt8]?
  /// Nil if the file no longer exists.
  let new: [UInt8]?

  /// The maximum size of texts that are compared line by line.
  private static let largestText = 10_000_000
  /// The first lines of armored files of gpg (RFC 4880, 6.2) and age (age-encryption.org/v1).
  private static let armors = ["-----BEGIN PGP MESSAGE-----", "-----BEGIN AGE ENCRYPTED FILE-----"]

  /// The differences: of Org files by entry and field, of other text by line, of other files only the sizes.
  var lines: [String] {
    switch (old, new) {
    case (.none, .none): []
    case (.none, .some(let new)): ["new, \(size(new.count))"]
    case (.some(let old), .none): ["removed, \(size(old.count))"]
    case (.some(let old), .some(let new)): changes(from: old, to: new)
    }
  }

  private func changes(from old: [UInt8], to new: [UInt8]) -> [String] {
    if old == new { return [] }
    guard [old, new].allSatisfy(Self.isText) else { return ["\(size(old.count)) before, \(size(new.count)) now"] }
    if OrgMerger.isOrg(path.name) {
      let text = OrgDiff(from: old, to: new).description
      // Blank lines and line ends do not belong to a field of an entry.
      return text.isEmpty ? ["only white space between entries changed"] : split(text)
    }
    return split(LineDiff(from: old, to: new).description)
  }

  /// Returns true for readable text; armored files are not.
  private static func isText(_ content: [UInt8]) -> Bool {
    content.count <= largestText && !OrgMerge.isBinary(content) && !armors.contains { content.starts(with: $0.utf8) }
  }

  private func split(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

extension Console {
  /// Prints a line of differences in its colour: additions green, removals red, changes yellow, positions cyan.
  static func print(change line: String, indentedBy blanks: String = "") {
    let colour: Colour? =
      switch line.drop(while: { $0 == " " }).first {
      case "+": .green
      case "-": .red
      case "~": .yellow
      case "@": .cyan
      default: nil
      }
    print(blanks + line, in: colour)
  }
}
