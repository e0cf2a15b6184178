internal import SyncKit

/// What was seen of the folders of a server whose folder tags change with everything below them (Nextcloud, ownCloud): a
/// folder with the tag that it had, of whose files just what was seen then is known, need not be listed.
///
/// It is the cursor of a listing. The tag of a folder is taken from its parent, before the folder itself was listed: what
/// changes in between shows in the next pass.
struct SeenFolders: Hashable, Sendable {
  struct Folder: Hashable, Sendable {
    var tag: EntityTag
    /// How many entries it has.
    var count: Int
    /// What it holds, with everything below it.
    var files: FileSum
  }

  /// When everything was listed last; nil if that is yet to be done.
  private(set) var since: Timestamp?
  private(set) var folders: [SyncPath: Folder] = [:]

  /// For how long tags are believed: what no tag told, such as what another client did behind the server's back, is found once
  /// a day.
  private static let patience: Int64 = 24 * 3600

  /// Nothing was seen yet.
  init() {}

  /// What may be relied on at `now`: folders of which just what was seen is still `known`.
  func usable(at now: Timestamp, with known: KnownFolders) -> SeenFolders {
    guard let since, since <= now, now.seconds - since.seconds < Self.patience else { return SeenFolders() }
    var usable = self
    usable.folders = folders.filter { $0.value.files == known.sum(of: $0.key) }
    return usable
  }

  /// Returns true if `folder`, with everything below it, holds what it held when it had this tag.
  func isUnchanged(_ folder: SyncPath, _ tag: EntityTag?) -> Bool { tag != nil && folders[folder]?.tag == tag }

  /// The folders in `unchanged`, and everything seen below them.
  func inside(_ unchanged: [SyncPath]) -> [SyncPath: Folder] {
    let unchanged = Set(unchanged)
    return folders.filter { unchanged.contains($0.key) || !unchanged.isDisjoint(with: $0.key.ancestors) }
  }

  /// What is seen now: what was unchanged, and what `found` tells of the rest. What is not at rest, or not a file that takes
  /// part, is to be looked at again.
  func next(_ found: Listing.Found, _ entries: [Entry], at now: Timestamp, filter: PathFilter) -> SeenFolders {
    var sums: [SyncPath: FileSum] = [:]
    var restless: Set<SyncPath> = []
    for entry in entries where filter.accepts(file: entry.path.bytes) {
      for folder in entry.path.ancestors { sums[folder, default: FileSum()].add(entry.path, entry.revision) }
      if !entry.isFirm { restless.formUnion(entry.path.ancestors) }
    }
    for path in found.unchanged {
      for folder in path.ancestors { sums[folder, default: FileSum()].add(folders[path]?.files ?? FileSum()) }
    }
    for path in found.unread.map(\.path) + found.temporaries.map(\.path) + found.gone {
      restless.formUnion([path] + path.ancestors)
    }
    var next = SeenFolders()
    next.since = since ?? now
    next.folders = inside(found.unchanged)
    for folder in found.folders.subtracting(restless) {
      guard let tag = found.tags[folder] else { continue }
      next.folders[folder] = Folder(
        tag: tag, count: found.fileCounts[folder] ?? 0, files: sums[folder] ?? FileSum())
    }
    return next
  }
}

extension SeenFolders {
  /// A line for the time, then one for each folder: tag, count, sum, path.
  var cursor: Cursor? {
    guard let since, !folders.isEmpty else { return nil }
    let lines = folders.map { path, folder in
      "\(folder.tag.text) \(folder.count) \(folder.files.text) \(PercentCoding.path(path.parts.map(Array.init)))"
    }
    return Cursor(bytes: Array(([Self.format, "\(since.seconds)"] + lines.sorted()).joined(separator: "\n").utf8))
  }

  private static let format = "folder tags 1"

  /// What a cursor tells; nothing was seen if something else wrote it.
  init(_ cursor: Cursor?) {
    let lines = String(decoding: cursor?.bytes ?? [], as: UTF8.self).split(separator: "\n")
    guard lines.first == Self.format[...], lines.count > 1, let seconds = Int64(lines[1]) else { return }
    since = Timestamp(seconds: seconds)
    for line in lines.dropFirst(2) {
      let parts = line.split(separator: " ")
      guard parts.count == 4, let tag = EntityTag(String(parts[0])), let count = Int(parts[1]),
        let files = FileSum(parts[2]), let path = Self.path(parts[3])
      else { continue }
      folders[path] = Folder(tag: tag, count: count, files: files)
    }
  }

  private static func path(_ text: Substring) -> SyncPath? {
    SyncPath(bytes: Array(PercentCoding.parts(of: text).joined(separator: [UInt8(ascii: "/")])))
  }
}
