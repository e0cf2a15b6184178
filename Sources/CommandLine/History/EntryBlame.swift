import ArchiveSQLite
import OrgKit
import SyncDaemon
import SyncKit

/// The last change of one entry of a file.
struct EntryBlame: Hashable, Sendable {
  /// The position of the entry in the file; -1 for the text above the first heading.
  var place: Int
  /// The titles from the top level down to the entry; empty for the text above the first heading.
  var path: [String]
  /// The version that changed it; nil if no pass has seen the change yet, or if the history records no change.
  var version: FileVersion?
  /// True if an earlier version may have made the change: the history has no earlier one, or not its content.
  var isOldest = false
  var author: Author

  /// The side that made a change, as far as the history records it.
  enum Author: Hashable, Sendable {
    /// This device: an edit in the store, or a command of syncd.
    case store
    /// Another device, by this remote.
    case remote(String)
    /// Both: a merge of two changes of the entry.
    case both(String)
    /// An earlier version may have made the change.
    case unknown
  }
}

/// Finds the last change of each entry of an Org file.
struct BlameSearch {
  /// The versions of one merge that it replaced.
  struct Sides: Sendable {
    var store: [UInt8]?
    var remote: [UInt8]?
  }

  /// The last change of each entry, from the top of the file.
  private(set) var entries: [EntryBlame] = []
  private let present: OrgTexts
  /// The entries whose last change was not found yet, with their places in the version that was examined last.
  private var pending: [Int: Int] = [:]
  private var found: [Int: (version: FileVersion?, isOldest: Bool)] = [:]

  /// - Parameters:
  ///   - bytes: the file as it is now.
  ///   - versions: its versions, newest first.
  ///   - content: returns the content of a version; nil if the history no longer has it.
  ///   - sides: returns the two versions that a merge replaced.
  init(
    _ bytes: [UInt8], _ versions: [FileVersion],
    content: (FileVersion) async throws(SyncError) -> [UInt8]?,
    sides: (FileVersion) async throws(SyncError) -> Sides
  ) async throws(SyncError) {
    present = OrgTexts(bytes)
    pending = Dictionary(uniqueKeysWithValues: present.places.map { ($0, $0) })
    var newer = (version: FileVersion?.none, texts: present)
    var isIncomplete = false
    // A deletion changes no entry: a restored one is as old as before.
    for version in versions where version.action != nil && version.digest != nil && !pending.isEmpty {
      guard let bytes = try await content(version) else {
        isIncomplete = true
        continue
      }
      let texts = OrgTexts(bytes)
      compare(texts, newer.texts, newer.version, isOldest: isIncomplete)
      (newer, isIncomplete) = ((version, texts), false)
    }
    let isOldest = newer.version.map { !$0.isCreation } ?? true
    for place in pending.keys { found[place] = (newer.version, isOldest) }
    entries = try await blame(sides)
  }

  /// Records the entries that differ from an older version, and follows the others into it.
  private mutating func compare(_ older: OrgTexts, _ newer: OrgTexts, _ version: FileVersion?, isOldest: Bool) {
    let pairs = OrgPairs(from: older.document, to: newer.document)
    for (entry, place) in pending {
      let partner = place == OrgTexts.preamble ? place : pairs.oldPlace(ofNew: place)
      if let partner, older[partner] == newer[place] {
        pending[entry] = partner
      } else {
        pending[entry] = nil
        found[entry] = (version, isOldest)
      }
    }
  }

  private func blame(_ sides: (FileVersion) async throws(SyncError) -> Sides) async throws(SyncError) -> [EntryBlame] {
    var known: [FileVersion: (store: Set<[UInt8]>, remote: Set<[UInt8]>)] = [:]
    var entries: [EntryBlame] = []
    for place in present.places {
      guard let (version, isOldest) = found[place] else { continue }
      if let version, version.isMerge, known[version] == nil {
        let versions = try await sides(version)
        known[version] = (OrgTexts(versions.store ?? []).all, OrgTexts(versions.remote ?? []).all)
      }
      entries.append(
        EntryBlame(
          place: place, path: present.path(place), version: version, isOldest: isOldest,
          author: isOldest ? .unknown : author(of: present[place], version, version.flatMap { known[$0] })))
    }
    return entries
  }

  private func author(
    of text: [UInt8], _ version: FileVersion?, _ sides: (store: Set<[UInt8]>, remote: Set<[UInt8]>)?
  ) -> EntryBlame.Author {
    guard let item = version?.action, item.remote != StoreEdit.name, item.action.to != .remote else { return .store }
    guard let sides else { return .remote(item.remote) }
    if sides.remote.contains(text) { return .remote(item.remote) }
    return sides.store.contains(text) ? .store : .both(item.remote)
  }
}

extension FileVersion {
  /// True if the version was made from two.
  var isMerge: Bool { action.map { [.merge, .conflict].contains($0.action.kind) } ?? false }
}

/// The entries of an Org file as texts that do not depend on their depth and the blank lines below them.
private struct OrgTexts {
  /// Stands for the text above the first heading.
  static let preamble = -1
  let document: OrgDocument

  init(_ bytes: [UInt8]) { document = OrgDocument(bytes) }

  /// The preamble, unless it is blank, and all entries.
  var places: [Int] { (self[Self.preamble].isEmpty ? [] : [Self.preamble]) + Array(document.entries.indices) }

  var all: Set<[UInt8]> { Set(places.map { self[$0] }) }

  func path(_ place: Int) -> [String] { place == Self.preamble ? [] : document.entries[place].path }

  subscript(place: Int) -> [UInt8] {
    let bytes: ArraySlice<UInt8> =
      if place == Self.preamble {
        document.bytes[..<(document.entries.first?.subtree.startIndex ?? document.bytes.count)]
      } else {
        document.entries[place].bytes.drop { $0 == UInt8(ascii: "*") }
      }
    return Array(bytes[..<((bytes.lastIndex { $0 > 0x20 } ?? bytes.startIndex - 1) + 1)])
  }
}
