import SyncKit

extension PassReport {
  /// True if a path is held for another reason than a deletion that waits for approval, such as a content that is not ours.
  func needsMoreThanApproval(_ action: Action) -> Bool {
    action.kind == .hold && !(hold?.items.contains { $0.path == action.path } ?? false)
  }
}
