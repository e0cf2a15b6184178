internal import SyncKit

/// What became of one change, seen from what is there afterwards: the file itself, and the version that was kept when it
/// was replaced. Contents are compared by their hashes.
enum ChangeStatus: Hashable, Sendable {
  /// The new version is there, and it replaced only the expected version.
  case done
  /// Ours replaced a version that no pass had seen, which was kept, and is still there: the old one can be restored.
  case displaced
  /// A version that no pass had seen was kept, and something else is there by now: it gets a name of its own.
  case orphaned
  /// The former version is there: nothing has happened.
  case notApplied
  /// Something else is there, or nothing: another writer was faster, or came afterwards.
  case overtaken

  /// - Parameters:
  ///   - live: the hash of what is there; nil if nothing is.
  ///   - kept: of what was kept.
  ///   - base: of what should have been there before.
  ///   - new: of what was sent; nil where the file was to go.
  init(live: [UInt8]?, kept: [UInt8]?, base: [UInt8]?, new: [UInt8]?) {
    // What is in the history, or still there under its name, needs no second place.
    let isUnseen = kept != nil && kept != base && kept != new && kept != live
    self =
      switch live {
      case new where isUnseen: .displaced
      case _ where isUnseen: .orphaned
      case new: .done
      case base: .notApplied
      default: .overtaken
      }
  }
}
