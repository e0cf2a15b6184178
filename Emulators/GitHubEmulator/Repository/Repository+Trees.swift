/// Trees of a repository.
extension Repository {
  struct Entry: Equatable {
    var mode: String
    var id: String

    static let folderMode = "040000"

    var isFolder: Bool { mode == Self.folderMode }
    /// The type as the API names it.
    var type: String { isFolder ? "tree" : mode == "160000" ? "commit" : "blob" }
  }

  /// The bytes of a name. Two names of git that Unicode holds for equivalent are equal as `String`, and `/` with a combining
  /// character after it is another `Character`.
  typealias Name = [UInt8]

  /// The entries of a tree by name.
  func entries(_ id: String) throws -> [Name: Entry] {
    var entries: [Name: Entry] = [:]
    var rest = try bytes(id, "tree")[...]
    while let space = rest.firstIndex(of: 0x20), let end = rest.firstIndex(of: 0) {
      let mode = String(decoding: rest[..<space], as: UTF8.self)
      let name = Name(rest[(space + 1)..<end])
      let object = rest[(end + 1)..<(end + 21)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      entries[name] = Entry(mode: String(repeating: "0", count: 6 - mode.count) + mode, id: object)
      rest = rest[(end + 21)...]
    }
    return entries
  }

  /// The entries in git's order: a folder sorts as if its name ended in a slash.
  static func sorted(_ entries: [Name: Entry]) -> [(name: Name, entry: Entry)] {
    let slash = UInt8(ascii: "/")
    return entries.map { (name: $0.key, entry: $0.value) }.sorted {
      ($0.name + ($0.entry.isFolder ? [slash] : []))
        .lexicographicallyPrecedes($1.name + ($1.entry.isFolder ? [slash] : []))
    }
  }

  func putTree(_ entries: [Name: Entry]) throws -> String {
    var bytes: [UInt8] = []
    for (name, entry) in Self.sorted(entries) {
      bytes += Array("\(entry.mode.drop { $0 == "0" }) ".utf8) + name + [0]
      let digits = Array(entry.id)
      bytes += stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
    return try put("tree", bytes)
  }

  /// Everything below a tree, by path, in the order of a recursive listing.
  func flat(_ id: String, below prefix: String = "") throws -> [(path: String, entry: Entry)] {
    try Self.sorted(entries(id)).flatMap { name, entry in
      let path = prefix + String(decoding: name, as: UTF8.self)
      return [(path: path, entry: entry)] + (entry.isFolder ? try flat(entry.id, below: path + "/") : [])
    }
  }

  /// Returns a tree with these changes of paths; nil removes. Removing a file that does not exist is an error.
  func edited(_ root: String?, _ changes: [(path: String, entry: Entry?)]) throws -> String {
    try edited(root, changes.map { (path: Array($0.path.utf8)[...], entry: $0.entry) })
  }

  private func edited(_ root: String?, _ changes: [(path: ArraySlice<UInt8>, entry: Entry?)]) throws -> String {
    var entries = try root.map { try self.entries($0) } ?? [:]
    var inner: [(folder: Name, changes: [(path: ArraySlice<UInt8>, entry: Entry?)])] = []
    for (path, entry) in changes {
      let parts = path.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = Name(parts[0])
      if parts.count > 1 {
        if let index = inner.firstIndex(where: { $0.folder == name }) {
          inner[index].changes.append((parts[1], entry))
        } else {
          inner.append((name, [(parts[1], entry)]))
        }
      } else if entry == nil, entries[name] == nil {
        throw APIError(422, "GitRPC::BadObjectState")
      } else {
        entries[name] = entry
      }
    }
    for (name, changes) in inner {
      let old = entries[name].flatMap { $0.isFolder ? $0.id : nil }
      let new = try edited(old, changes)
      // git has no empty folders.
      entries[name] = try self.entries(new).isEmpty ? nil : Entry(mode: Entry.folderMode, id: new)
    }
    return try putTree(entries)
  }

  /// Throws unless the API accepts the path.
  static func check(_ path: String) throws {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !["", ".", "..", ".git"].contains(String(decoding: $0, as: UTF8.self).lowercased()) })
    else {
      throw APIError(422, "tree.path contains a malformed path component")
    }
  }
}
