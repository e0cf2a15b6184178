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

  /// The entries of a tree by name.
  func entries(_ id: String) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    var rest = try bytes(id, "tree")[...]
    while let space = rest.firstIndex(of: 0x20), let end = rest.firstIndex(of: 0) {
      let mode = String(decoding: rest[..<space], as: UTF8.self)
      let name = String(decoding: rest[(space + 1)..<end], as: UTF8.self)
      let object = rest[(end + 1)..<(end + 21)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      entries[name] = Entry(mode: String(repeating: "0", count: 6 - mode.count) + mode, id: object)
      rest = rest[(end + 21)...]
    }
    return entries
  }

  /// The entries in git's order: a folder sorts as if its name ended in a slash.
  static func sorted(_ entries: [String: Entry]) -> [(name: String, entry: Entry)] {
    entries.map { (name: $0.key, entry: $0.value) }.sorted {
      Array(($0.name + ($0.entry.isFolder ? "/" : "")).utf8)
        .lexicographicallyPrecedes(Array(($1.name + ($1.entry.isFolder ? "/" : "")).utf8))
    }
  }

  func putTree(_ entries: [String: Entry]) throws -> String {
    var bytes: [UInt8] = []
    for (name, entry) in Self.sorted(entries) {
      bytes += Array("\(entry.mode.drop { $0 == "0" }) \(name)\0".utf8)
      let digits = Array(entry.id)
      bytes += stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
    return try put("tree", bytes)
  }

  /// Everything below a tree, by path, in the order of a recursive listing.
  func flat(_ id: String, below prefix: String = "") throws -> [(path: String, entry: Entry)] {
    try Self.sorted(entries(id)).flatMap { name, entry in
      [(path: prefix + name, entry: entry)] + (entry.isFolder ? try flat(entry.id, below: prefix + name + "/") : [])
    }
  }

  /// Returns a tree with these changes; nil removes. Removing a file that does not exist is an error.
  func edited(_ root: String?, _ changes: [(path: Substring, entry: Entry?)]) throws -> String {
    var entries = try root.map { try self.entries($0) } ?? [:]
    var inner: [(folder: String, changes: [(path: Substring, entry: Entry?)])] = []
    for (path, entry) in changes {
      let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
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
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !["", ".", "..", ".git"].contains($0.lowercased()) }) else {
      throw APIError(422, "tree.path contains a malformed path component")
    }
  }
}
