internal import SyncKit

/// One folder as git stores it: names with their modes and objects.
///
/// It is read and written by ourselves and not through a library, because nothing of a foreign tree may
/// change when one of its entries does: unusual modes and names stay as they are.
struct GitTree: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var mode: Mode
    var name: [UInt8]
    var id: ObjectID
  }

  /// What an entry is; the bits are those that git stores.
  struct Mode: Hashable, Sendable {
    let bits: UInt32

    static let file = Mode(bits: 0o100644)
    static let program = Mode(bits: 0o100755)
    static let folder = Mode(bits: 0o040000)

    var isFolder: Bool { bits & 0o170000 == 0o040000 }
    var isFile: Bool { bits & 0o170000 == 0o100000 }

    /// What stands there, for a person, if it is neither file nor folder.
    var special: String? {
      switch bits & 0o170000 {
      case 0o040000, 0o100000: nil
      case 0o120000: "a symbolic link"
      case 0o160000: "a submodule"
      default: "neither a file nor a folder"
      }
    }
  }

  var entries: [Entry]

  init(entries: [Entry] = []) { self.entries = entries }

  /// The tree that these bytes are (git's documentation of the pack format does not have it; see `git cat-file tree`):
  /// `MODE SPACE NAME NUL ID`, one after the other. Nil if they are anything else.
  init?(bytes: [UInt8]) {
    var entries: [Entry] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let space = rest.firstIndex(of: 0x20), let mode = Self.octal(rest[..<space]),
        let end = rest[space...].firstIndex(of: 0), end > space + 1, rest.endIndex - end > ObjectID.size
      else { return nil }
      let id = rest[(end + 1)...(end + ObjectID.size)]
      entries.append(
        Entry(mode: Mode(bits: mode), name: Array(rest[(space + 1)..<end]), id: ObjectID(bytes: Array(id))))
      rest = rest[(end + 1 + ObjectID.size)...]
    }
    self.entries = entries
  }

  private static func octal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard (1...7).contains(digits.count), digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | UInt32($1 - 0x30) }
  }

  /// The entries by name alone, as paths sort; a tree without folders is in this order already.
  var byName: [Entry] {
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.name.lexicographicallyPrecedes($1.name) }
    return isSorted ? entries : entries.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// The names that are there more than once, as in no sound tree.
  var duplicates: Set<[UInt8]> {
    let sorted = byName
    return Set(zip(sorted, sorted.dropFirst()).filter { $0.name == $1.name }.map(\.0.name))
  }

  /// The bytes of the tree, its entries in git's order: as if the name of a folder ended in a separator.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries.sorted(by: { Self.key($0).lexicographicallyPrecedes(Self.key($1)) }) {
      bytes += Array(String(entry.mode.bits, radix: 8).utf8)
      bytes.append(0x20)
      bytes += entry.name
      bytes.append(0)
      bytes += entry.id.bytes
    }
    return bytes
  }

  private static func key(_ entry: Entry) -> [UInt8] { entry.mode.isFolder ? entry.name + [0x2F] : entry.name }
}
