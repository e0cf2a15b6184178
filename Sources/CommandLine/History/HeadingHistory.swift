import ArchiveSQLite
import OrgKit
import SyncDaemon
import SyncKit

/// The versions of a file that changed the subtree of one heading.
struct HeadingHistory: Sendable {
  /// One change of the subtree.
  struct Change: Sendable {
    var version: FileVersion
    /// The subtree before; nil if it was added.
    var old: [UInt8]?
    /// The subtree after; nil if it was removed.
    var new: [UInt8]?
    /// True if the history does not reach back further, so that an earlier version may have made the change.
    var isOldest = false

    /// What happened to the subtree, in a word or two.
    var summary: String {
      new == nil ? "removed" : isOldest ? "oldest version" : old == nil ? "added" : "changed"
    }
  }

  /// The changes, newest first.
  private(set) var changes: [Change] = []
  /// The number of versions whose content is no longer in the history.
  private(set) var missing = 0
  private var newer: Place?
  private var removal: FileVersion?
  private var isComplete = false

  /// The heading in one version.
  private struct Place {
    var version: FileVersion
    var document: OrgDocument
    var entry: Int

    /// The subtree without the blank lines below it, which belong to the file's layout.
    var subtree: [UInt8] {
      let bytes = document.entries[entry].subtree
      return Array(bytes[..<((bytes.lastIndex { $0 > 0x20 } ?? bytes.startIndex - 1) + 1)])
    }
  }

  /// Follows a heading from the newest version backwards, through changes of its title and place.
  ///
  /// - Parameters:
  ///   - heading: returns the position of the heading in the newest version that has it; nil for versions without it.
  ///   - versions: the versions of the file, newest first.
  ///   - content: returns the content of a version; nil if the history no longer has it.
  init(
    of heading: (OrgDocument) -> Int?, in versions: [FileVersion],
    content: (FileVersion) async throws(SyncError) -> [UInt8]?
  ) async throws(SyncError) {
    for version in Self.succession(versions) where !isComplete {
      guard let bytes = version.digest == nil ? [] : try await content(version) else {
        missing += 1
        continue
      }
      add(version, OrgDocument(bytes), heading)
    }
    if let newer, !isComplete {
      changes.append(Change(version: newer.version, new: newer.subtree, isOldest: !newer.version.isCreation))
    }
  }

  /// Returns the versions that followed one another, and the one that the oldest of them replaced: what the file was before syncd
  /// changed it first.
  private static func succession(_ versions: [FileVersion]) -> [FileVersion] {
    let made = versions.filter { $0.action != nil }
    guard let oldest = made.last, let before = oldest.action?.action.before, before != oldest.digest else {
      return made
    }
    return made + versions.filter { $0.action == nil && $0.digest == before }.prefix(1)
  }

  private mutating func add(_ version: FileVersion, _ document: OrgDocument, _ heading: (OrgDocument) -> Int?) {
    guard let newer else { return find(heading, version, document) }
    guard let entry = OrgPairs(from: document, to: newer.document).oldPlace(ofNew: newer.entry) else {
      changes.append(Change(version: newer.version, new: newer.subtree))
      isComplete = true
      return
    }
    let older = Place(version: version, document: document, entry: entry)
    if older.subtree != newer.subtree {
      changes.append(Change(version: newer.version, old: older.subtree, new: newer.subtree))
    }
    self.newer = older
  }

  private mutating func find(_ heading: (OrgDocument) -> Int?, _ version: FileVersion, _ document: OrgDocument) {
    guard let entry = heading(document) else {
      removal = version
      return
    }
    newer = Place(version: version, document: document, entry: entry)
    if let removal, let newer { changes.append(Change(version: removal, old: newer.subtree)) }
  }
}
