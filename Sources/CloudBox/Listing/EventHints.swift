internal import SyncKit

/// What a number of events says about a tree. Events may come twice, out of order and late, so they only name the folders to
/// list: the state of an item is never taken from an event.
struct EventHints {
  /// The folders to list, because something in them may have changed.
  private(set) var folders: Set<String> = []
  /// The folders whose contents must be listed at every depth.
  private(set) var wholeFolders: Set<String> = []
  /// The items that were named.
  private(set) var items: Set<String> = []
  /// True if the events cannot be related to folders, so that everything must be listed.
  private(set) var isUnclear = false

  /// Events that change neither names nor contents.
  private static let ignored: Set<String> = [
    "ADD_LOGIN_ACTIVITY_DEVICE", "COMMENT_CREATE", "COMMENT_DELETE", "ITEM_DOWNLOAD", "ITEM_OPEN", "ITEM_PREVIEW",
    "ITEM_SHARED", "ITEM_SHARED_CREATE", "ITEM_SHARED_UNSHARE", "LOCK_CREATE", "LOCK_DESTROY", "LOGIN",
    "MASTER_INVITE_ACCEPT", "MASTER_INVITE_REJECT", "TAG_ITEM_CREATE", "TASK_ASSIGNMENT_COMPLETE",
    "TASK_ASSIGNMENT_CREATE", "TASK_ASSIGNMENT_UPDATE", "TASK_CREATE", "TASK_UPDATE", "WATERMARK_LABEL_CREATE",
    "WATERMARK_LABEL_DELETE",
  ]
  /// Events after which a folder has the same contents.
  private static let shallow: Set<String> = [
    "ITEM_MAKE_CURRENT_VERSION", "ITEM_MODIFY", "ITEM_RENAME", "ITEM_TRASH", "ITEM_UPLOAD",
  ]
  private static let kinds: Set<String> = ["file", "folder", "web_link"]

  /// Adds an event to what is known of `tree`, whose root has the ancestors and itself in `chain`.
  mutating func add(_ event: Event, to tree: RemoteTree, chain: [String]) {
    guard !Self.ignored.contains(event.eventType) else { return }
    // Access to folders has come or gone.
    let isAboutAccess = ["COLLAB_", "ITEM_SYNC", "ITEM_UNSYNC"].contains { event.eventType.hasPrefix($0) }
    guard !isAboutAccess, let source = event.source, let id = source.id, let type = source.type,
      Self.kinds.contains(type), !chain.contains(id)
    else {
      isUnclear = true
      return
    }
    items.insert(id)
    for folder in [source.parent?.id, tree.parent(of: id)] {
      if let folder, tree.isFolder(folder) { folders.insert(folder) }
    }
    if tree.isFolder(id), !Self.shallow.contains(event.eventType) { wholeFolders.insert(id) }
  }
}
