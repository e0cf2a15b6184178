/// Matches the files of a folder in three versions, including renamed ones.
struct FileMatching {
  /// The path of each file in the versions.
  private(set) var files: [Three<OrgMerge.Path?>] = []
  /// The maximum number of pairs that are compared exhaustively.
  private static let pairLimit = 200 * 200

  init(_ folders: Three<OrgMerge.Folder>) {
    let ours = Self.renames(folders.base, folders.ours)
    let theirs = Self.renames(folders.base, folders.theirs)
    for path in folders.base.keys.sorted() {
      files.append(
        Three(
          base: path, ours: Self.place(of: path, in: folders.ours, ours),
          theirs: Self.place(of: path, in: folders.theirs, theirs)))
    }
    let known = (Set(files.compactMap(\.ours)), Set(files.compactMap(\.theirs)))
    for path in Set(folders.ours.keys).union(folders.theirs.keys).sorted() {
      let isNew = (
        folders.ours[path] != nil && !known.0.contains(path), folders.theirs[path] != nil && !known.1.contains(path)
      )
      guard isNew.0 || isNew.1 else { continue }
      files.append(Three(base: nil, ours: isNew.0 ? path : nil, theirs: isNew.1 ? path : nil))
    }
  }

  private static func place(
    of path: OrgMerge.Path, in folder: OrgMerge.Folder, _ renames: [OrgMerge.Path: OrgMerge.Path]
  ) -> OrgMerge.Path? {
    folder[path] == nil ? renames[path] : path
  }

  /// Returns the renames: files that are gone from one path and new at another, most similar first.
  private static func renames(_ base: OrgMerge.Folder, _ side: OrgMerge.Folder) -> [OrgMerge.Path: OrgMerge.Path] {
    let gone = base.filter { side[$0.key] == nil }.map { ($0.key, FileFacts($0.value)) }
    let new = side.filter { base[$0.key] == nil }.map { ($0.key, FileFacts($0.value)) }
    var scored: [(from: OrgMerge.Path, to: OrgMerge.Path, likeness: Double)] = []
    // Among very many files, only those with equal contents are found.
    let isSmall = gone.count * new.count <= pairLimit
    for (from, facts) in gone {
      for (to, others) in new {
        let likeness = isSmall || facts.content == others.content ? facts.likeness(to: others) : 0
        if likeness >= 0.6 { scored.append((from, to, likeness)) }
      }
    }
    scored.sort { ($1.likeness, $0.from, $0.to) < ($0.likeness, $1.from, $1.to) }
    var renames: [OrgMerge.Path: OrgMerge.Path] = [:]
    var taken: Set<OrgMerge.Path> = []
    for pair in scored where renames[pair.from] == nil && taken.insert(pair.to).inserted {
      renames[pair.from] = pair.to
    }
    return renames
  }
}

/// The features by which a renamed file is recognised.
private struct FileFacts {
  let content: [UInt8]
  private let ids: Set<Bytes>
  private let fileID: Bytes?
  private let lines: [Bytes: Int]

  init(_ content: [UInt8]) {
    self.content = content
    if OrgMerge.isBinary(content) {
      (ids, fileID, lines) = ([], nil, [:])
      return
    }
    let outline = Outline(content)
    ids = Set(outline.nodes.indices.dropFirst().compactMap { outline.drawer($0)?["id"] })
    let preamble = Section(outline.section(0), isPreamble: true).blocks.first { $0.kind == .properties }
    fileID = preamble.flatMap { PropertyDrawer(at: $0.lines)?["id"] }
    lines = content[...].lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Returns 1 for the same file ID or half of the IDs in the file; otherwise the share of equal lines.
  func likeness(to other: FileFacts) -> Double {
    if content == other.content { return 1 }
    if let fileID, fileID == other.fileID { return 1 }
    let shared = ids.intersection(other.ids).count
    if shared > 0, 2 * shared >= max(ids.count, other.ids.count) { return 1 }
    let total = lines.values.reduce(0, +) + other.lines.values.reduce(0, +)
    let common = lines.reduce(0) { $0 + min($1.value, other.lines[$1.key] ?? 0) }
    return total == 0 ? 0 : 2 * Double(common) / Double(total)
  }
}

extension Outline {
  /// Returns the property drawer of an entry without parsing the rest of it.
  func drawer(_ index: Int) -> PropertyDrawer? {
    let section = section(index)
    return PropertyDrawer(at: Planning.isOne(section.firstLine) ? section.withoutFirstLine : section)
  }
}
