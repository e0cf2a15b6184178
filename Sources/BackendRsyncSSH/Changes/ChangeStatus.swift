internal import SyncKit

/// The status of one change, derived from the files that exist afterwards: the file itself, and the previous version that was
/// kept. Contents are compared by their hashes.
enum ChangeStatus: Hashable, Sendable {
  /// The new version is there, and it replaced only the expected version.
  case done
  /// Our version replaced one that no pass had seen; that one was kept and can be restored, because ours is still there.
  case displaced
  /// A version that no pass had seen was kept, but another one is in place by now: the kept one gets its own name.
  case orphaned
  /// The former version is in place: the change was not applied.
  case notApplied
  /// Another version is in place, or none: another writer was faster, or came afterwards.
  case overtaken

  /// - Parameters:
  ///   - live: the hash of the file in place; nil if there is none.
  ///   - kept: the hash of the previous version that was kept.
  ///   - base: the hash of the version that was expected.
  ///   - new: the hash of the version that was sent; nil for a removal.
  init(live: [UInt8]?, kept: [UInt8]?, base: [UInt8]?, new: [UInt8]?) {
    // A version that is in the history, or in place, needs no second copy.
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
