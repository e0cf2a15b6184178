import SyncKit

/// The kinds of edits that people make on either end.
enum EverydayEdit: String, CaseIterable, Sendable {
  // Of one entry.
  case text, lineAbove, replacedLine, title, state, priority, property, logLine, comment, archived, otherTag
  // Of what is selected.
  case intoSelection, outOfSelection, intoPrivate, outOfPrivate, lastMatchGone, fileTags
  // Of the structure.
  case newMatching, newPlain, newPrivate, newSameTitle, deletion, move, reorder, moveToOtherFile
  // Of files.
  case preamble, newFile, fileIntoHiddenFile, renamedFile, deletedFile

  /// The kinds that a person on the remote can make; the others need what the remote does not have.
  static let away = allCases.filter { ![.intoSelection, .outOfPrivate, .fileTags].contains($0) }
  /// The kinds that a person at home can make.
  static let home = allCases.filter { ![.fileIntoHiddenFile, .reorder].contains($0) }
}

/// The number of edits of each kind on each end.
struct EditTally: Sendable {
  private(set) var counts: [String: Int] = [:]

  mutating func add(_ kind: EverydayEdit, on side: Side) { counts[Self.name(kind, side), default: 0] += 1 }

  mutating func add(_ other: EditTally) { counts.merge(other.counts, uniquingKeysWith: +) }

  func count(_ kind: EverydayEdit, on side: Side) -> Int { counts[Self.name(kind, side)] ?? 0 }

  var total: Int { counts.values.reduce(0, +) }

  private static func name(_ kind: EverydayEdit, _ side: Side) -> String {
    "\(side == .local ? "home" : "away") \(kind.rawValue)"
  }
}
