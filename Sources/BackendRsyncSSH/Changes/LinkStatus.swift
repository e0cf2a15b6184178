/// The status of a file that gets another name by a link, derived from both names. Contents are compared by their hashes.
enum LinkStatus: Hashable, Sendable {
  /// Both names have the expected version: the old name can be removed.
  case linked
  /// Only the new name has it.
  case moved
  /// The old name has another version, and the new name is our link: the link is removed, and the edit keeps its name.
  case changed
  /// The new name has a version of another writer.
  case taken
  /// The new name is free: no link was made.
  case absent

  /// - Parameters:
  ///   - old: the hash of the file under the old name; nil if there is none.
  ///   - new: the hash of the file under the new name; nil if there is none.
  ///   - expected: the hash of the version that gets another name.
  init(old: [UInt8]?, new: [UInt8]?, expected: [UInt8]) {
    self =
      switch (old, new) {
      case (_, nil): .absent
      case (expected, expected): .linked
      case (nil, expected): .moved
      // A program that writes in place writes to both names of a file.
      case (let old?, let new?) where new == expected || new == old: .changed
      default: .taken
      }
  }
}
