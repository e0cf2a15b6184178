import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// Two versions of a file, and what is different in the second one as text for people.
struct ContentChange {
  let path: SyncPath
  /// Nil where the file was not there.
  let old: [UInt8]?
  /// Nil where the file is no longer there.
  let new: [UInt8]?

  /// Larger texts are not compared line by line.
  private static let largestText = 10_000_000
  /// How gpg (RFC 4880, 6.2) and age (age-encryption.org/v1) begin what they encrypt as text.
  private static let armors = ["-----BEGIN PGP MESSAGE-----", "-----BEGIN AGE ENCRYPTED FILE-----"]

  /// Org files entry by entry and field by field, other text line by line, and of everything else the sizes.
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

  /// Encrypted content is not text for people, even if it consists of letters.
  private static func isText(_ content: [UInt8]) -> Bool {
    content.count <= largestText && !OrgMerge.isBinary(content) && !armors.contains { content.starts(with: $0.utf8) }
  }

  private func split(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
