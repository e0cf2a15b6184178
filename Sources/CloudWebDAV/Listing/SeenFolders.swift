internal import HTTPStorage
internal import SyncKit

/// The folders seen on a server whose folder tags change with everything below them (Nextcloud, ownCloud): a folder need not be
/// listed if its tag is unchanged and its known files are those that were seen then.
///
/// It is the cursor of a listing. The tag of a folder comes from the listing of its parent, before the folder itself was
/// listed: the next pass sees what changes in between.
struct SeenFolders: Hashable, Sendable {
  struct Folder: Hashable, Sendable {
    var tag: EntityTag
    /// The number of entries.
    var count: Int
    /// The sum of its files at any depth.
    var files: FileSum
  }

  /// The time of the last complete listing; nil if one is due.
  private(set) var since: Timestamp?
  private(set) var folders: [SyncPath: Folder] = [:]

  /// The time for which tags are trusted: a daily complete listing finds what no tag shows, such as changes behind the server's
  /// back.
  private static let patience: Int64 = 24 * 3600

  /// No folders.
  init() {}

  /// Returns the folders that can be used at `now`: those whose files are still `known` as they were seen.
  func usable(at now: Timestamp, with known: KnownFolders) -> SeenFolders {
    guard let since, since <= now, now.seconds - since.seconds < Self.patience else { return SeenFolders() }
    var usable = self
    usable.folders = folders.filter { $0.value.files == known.sum(of: $0.key) }
    return usable
  }

  /// Returns true if `folder` is unchanged at any depth since it had this tag.
  func isUnchanged(_ folder: SyncPath, _ tag: EntityTag?) -> Bool { tag != nil && folders[folder]?.tag == tag }

  /// The folders in `unchanged`, and all seen folders below them.
  func inside(_ unchanged: [SyncPath]) -> [SyncPath: Folder] {
    let unchanged = Set(unchanged)
    return folders.filter { unchanged.contains($0.key) || !unchanged.isDisjoint(with: $0.key.ancestors) }
  }

  /// Returns the folders seen now: the unchanged ones, and those in `found`. Folders with files that are not at rest, or not
  /// synced, must be listed again.
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

  /// Decodes a cursor; empty if it is invalid.
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
