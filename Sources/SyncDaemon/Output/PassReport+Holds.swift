import SyncKit

extension PassReport {
  /// Returns true if a path is held for another reason than a deletion that needs approval, such as foreign content.
  func needsMoreThanApproval(_ action: Action) -> Bool {
    action.kind == .hold && !(hold?.items.contains { $0.path == action.path } ?? false)
  }
}
