/// The path, mode and options of a write.
struct Commit: Decodable {
  var path: String
  var mode: WriteMode?
  var autorename: Bool?
  var clientModified: String?
  var strictConflict: Bool?
  /// The hash of the bytes of this call; present only in uploads with one call.
  var contentHash: String?
}

/// The version that may be replaced. A tag without a value may be a bare string.
enum WriteMode: Decodable {
  case add, overwrite
  case update(String)

  private enum Key: String, CodingKey {
    case tag = ".tag"
    case update
  }

  init(from decoder: any Decoder) throws {
    let members = try? decoder.container(keyedBy: Key.self)
    let tag = try members?.decode(String.self, forKey: .tag) ?? decoder.singleValueContainer().decode(String.self)
    switch tag {
    case "add": self = .add
    case "overwrite": self = .overwrite
    case "update": self = .update(try members?.decode(String.self, forKey: .update) ?? "")
    default:
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "unknown tag '\(tag)'"))
    }
  }
}

/// The reason why a write was refused, as the tags of `WriteError`.
struct WriteRefusal: Error {
  var tags: [String]

  init(_ tags: String...) { self.tags = tags }
}

extension Account {
  /// Stores a file; returns the resulting item.
  mutating func write(_ bytes: [UInt8], _ commit: Commit) throws(WriteRefusal) -> Item {
    var path = Names.composed(commit.path)
    if let objection = Names.objection(to: path) { throw WriteRefusal(objection) }
    let mode = commit.mode ?? .add
    let isStrict = commit.strictConflict ?? false
    let there = items[Names.key(path)]
    let isSame = there?.rev.flatMap { versions[$0]?.bytes } == bytes
    var target = there
    if let obstacle = conflict(mode, there, isSame: isSame, isStrict: isStrict) {
      guard commit.autorename == true else { throw WriteRefusal("conflict", obstacle) }
      path = freeName(path, suffix(of: mode))
      target = nil
    } else if let there, isSame, !(isStrict && mode.displaces(there)) {
      return there
    }
    if let quota, usedBytes + bytes.count > quota { throw WriteRefusal("insufficient_space") }
    guard let display = makeParents(of: path) else { throw WriteRefusal("conflict", "file_ancestor") }
    return store(bytes, at: display, replacing: target, clientModified: commit.clientModified)
  }

  /// The conflict that prevents the write, as a tag of `WriteConflictError`.
  private func conflict(_ mode: WriteMode, _ there: Item?, isSame: Bool, isStrict: Bool) -> String? {
    if let there, !there.isFile { return "folder" }
    switch mode {
    case .overwrite: return nil
    case .add: return there != nil && (isStrict || !isSame) ? "file" : nil
    case .update(let rev):
      guard let there else { return isStrict ? "file" : nil }
      return there.rev != rev && (isStrict || !isSame) ? "file" : nil
    }
  }

  private func suffix(of mode: WriteMode) -> (Int) -> String {
    if case .update = mode { return { " (conflicted copy)" + ($0 > 1 ? " (\($0))" : "") } }
    return { " (\($0))" }
  }

  private mutating func store(
    _ bytes: [UInt8], at display: String, replacing former: Item?, clientModified: String?
  ) -> Item {
    let now = Self.now()
    var item = Item(kind: .file(rev: newRev()), display: former?.display ?? display, id: former?.id ?? newID())
    item.clientModified = clientModified ?? now
    item.serverModified = now
    if let rev = item.rev { versions[rev] = StoredVersion(bytes: bytes, hash: contentHash(bytes), item: item) }
    items[item.key] = item
    history[item.key, default: []].append(.item(item))
    record(item.key)
    return item
  }
}

extension WriteMode {
  /// True if the mode replaces exactly this version.
  fileprivate func displaces(_ item: Item) -> Bool {
    if case .update(let rev) = self { item.rev == rev } else { false }
  }
}
