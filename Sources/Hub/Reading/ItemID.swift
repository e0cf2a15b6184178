internal import Crypto
import OrgKit
internal import SyncKit

/// The identifiers by which devices name files and entries. They are opaque to devices.
///
/// An entry with the property `ID` has that. Another one has an identifier made from its file, the titles down to it and its number
/// among entries with the same titles, so it changes when a title or the file does; the answer to a patch has the new one.
enum ItemID {
  /// The identifier of a file.
  static func file(_ path: String) -> String { "f" + text(path, count: 10) }

  /// The part of an entry's identifier that tells its file.
  static func prefix(ofFile path: String) -> String { "x" + text(path, count: 5) }

  /// Returns the identifiers of all entries of a file.
  static func entries(_ items: [OrgItem], in path: String) -> [String] {
    var numbers: [[String]: Int] = [:]
    var given: Set<String> = []
    let prefix = prefix(ofFile: path)
    return items.map { item in
      let number = numbers[item.path, default: 0]
      numbers[item.path] = number + 1
      if let id = item.id, isUsable(id), given.insert(id).inserted { return id }
      return prefix + text(item.path.joined(separator: "\u{1F}") + "\u{1F}\(number)", count: 10)
    }
  }

  /// Returns the identifier of an entry whose titles are those of no entry before it in its file, or that has the property `ID`.
  static func first(of item: OrgItem) -> String { entries([item], in: item.file)[0] }

  /// True if a property `ID` can be a part of an address.
  static func isUsable(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 200
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }

  /// True if the identifier is one that was made, not a property `ID`.
  static func isMade(_ id: String) -> Bool { id.utf8.count == 25 && id.hasPrefix("x") }

  private static func text(_ name: String, count: Int) -> String {
    Base32.text(of: SHA256.hash(data: Array(name.utf8)).prefix(count))
  }
}
