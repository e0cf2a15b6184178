/// A tree object of git: names with their modes and objects.
///
/// It is encoded and decoded here and not by a library, so that a change of one entry changes nothing else in a foreign tree:
/// unusual modes and names stay as they are.
package struct GitTree: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var mode: Mode
    package var name: [UInt8]
    package var id: ObjectID

    package init(mode: Mode, name: [UInt8], id: ObjectID) {
      self.mode = mode
      self.name = name
      self.id = id
    }
  }

  /// The type of an entry, with the mode bits that git stores.
  package struct Mode: Hashable, Sendable {
    package let bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    package static let file = Mode(bits: 0o100644)
    package static let program = Mode(bits: 0o100755)
    package static let folder = Mode(bits: 0o040000)

    package var isFolder: Bool { bits & 0o170000 == 0o040000 }
    package var isFile: Bool { bits & 0o170000 == 0o100000 }

    /// A description of an entry that is neither file nor folder; nil for those.
    package var special: String? {
      switch bits & 0o170000 {
      case 0o040000, 0o100000: nil
      case 0o120000: "a symbolic link"
      case 0o160000: "a submodule"
      default: "neither a file nor a folder"
      }
    }
  }

  package var entries: [Entry]

  package init(entries: [Entry] = []) { self.entries = entries }

  /// Decodes a tree (git's documentation of the pack format does not describe it; see `git cat-file tree`): entries of the form
  /// `MODE SPACE NAME NUL ID`. Returns nil for other bytes.
  package init?(bytes: [UInt8]) {
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

  /// The entries sorted by name alone, as in paths; a tree without folders has this order already.
  package var byName: [Entry] {
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.name.lexicographicallyPrecedes($1.name) }
    return isSorted ? entries : entries.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// The names that occur more than once; a valid tree has none.
  package var duplicates: Set<[UInt8]> {
    let sorted = byName
    return Set(zip(sorted, sorted.dropFirst()).filter { $0.name == $1.name }.map(\.0.name))
  }

  /// The encoded tree. Its entries are in git's order: as if the name of a folder ended in a separator.
  package var bytes: [UInt8] {
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
