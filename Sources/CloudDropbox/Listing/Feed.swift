internal import HTTPStorage
internal import SyncKit
import Synchronization

/// Tracks the changes of a folder: the last known tree, and the cursor for later changes.
///
/// Both are in the journal and are written together, so a cursor is never newer than its tree. A cursor may be read twice, so
/// whatever a crash loses is reported again.
final class Feed: Sendable {
  private let service: Service
  private let folder: DropboxFolder
  private let journal: any Journal
  private let usesTeamSpace: Bool
  private let maxFiles: Int
  private let locks = LockQueue()
  private let held = Mutex(Held())
  let signal = ListingSignal()

  private struct Held {
    var tree: RemoteTree?
    var cursor: TreeRecords.Cursor?
  }

  private static let rootKey = "dropbox.root"
  /// Unused cursors expire, so a newer one is saved regularly even without changes.
  private static let cursorAge: Int64 = 86_400

  init(_ service: Service, _ folder: DropboxFolder, journal: any Journal, _ settings: Dropbox.Settings) {
    self.service = service
    self.folder = folder
    self.journal = journal
    usesTeamSpace = settings.teamSpace
    maxFiles = settings.maxFiles
  }

  /// The last known tree.
  var tree: RemoteTree { held.withLock { $0.tree ?? RemoteTree() } }

  /// The cursor for the next listing, and the number of listings; nil before the first.
  var position: (cursor: String, listings: Int)? {
    guard let listings = signal.count, let cursor = held.withLock({ $0.cursor }) else { return nil }
    return (cursor.text, listings)
  }

  // MARK: Listing

  /// Returns the current tree. Costs one call if nothing has changed.
  func refreshed() async throws(CallError) -> RemoteTree {
    try await exclusively { () async throws(CallError) in
      var (tree, cursor) = try await self.known()
      try await self.chooseRoot()
      do throws(CallError) {
        if let old = cursor { cursor = try await self.more(old, &tree) } else { cursor = try await self.all(&tree) }
      } catch {
        guard case .rootMoved(let root) = error.kind else { throw error }
        try await self.store(root: root)
        cursor = try await self.all(&tree)
      }
      if let cursor { try await self.store(&tree, cursor) }
      return tree
    }
  }

  /// One listing at a time: Dropbox rejects concurrent ones.
  private func exclusively<Value>(_ work: () async throws(CallError) -> Value) async throws(CallError) -> Value {
    let result: Result<Value, CallError>
    do throws(SyncError) {
      result = try await locks.withLock("list") { () async throws(SyncError) in
        do throws(CallError) { return .success(try await work()) } catch { return .failure(error) }
      }
    } catch { throw CallError(kind: .notDone, error: error) }
    return try result.get()
  }

  private func known() async throws(CallError) -> (RemoteTree, TreeRecords.Cursor?) {
    if let (tree, cursor) = held.withLock({ held in held.tree.map { ($0, held.cursor) } }) { return (tree, cursor) }
    let records = try await local { () async throws(SyncError) in try await self.journal.records() }
    let (tree, cursor) = TreeRecords.read(records, of: folder.path)
    let stale = TreeRecords.stale(in: records, but: tree)
    if !stale.isEmpty { try await local { () async throws(SyncError) in try await self.journal.write(stale) } }
    service.root = usesTeamSpace ? records[Self.rootKey].map { String(decoding: $0, as: UTF8.self) } : nil
    held.withLock { held in (held.tree, held.cursor) = (tree, cursor) }
    return (tree, cursor)
  }

  /// Runs an operation on local state; its errors are not Dropbox's.
  private func local<Value>(_ work: () async throws(SyncError) -> Value) async throws(CallError) -> Value {
    do throws(SyncError) { return try await work() } catch { throw CallError(kind: .notDone, error: error) }
  }

  private func more(
    _ cursor: TreeRecords.Cursor, _ tree: inout RemoteTree
  ) async throws(CallError) -> TreeRecords.Cursor {
    do throws(CallError) {
      return try await run("files/list_folder/continue", ["cursor": .string(cursor.text)], into: &tree, since: cursor)
    } catch {
      // Dropbox reports an invalid cursor in several ways; a new listing is right in any case. A deleted folder is a different
      // error.
      let isVoid = error.refusal?.has("reset") ?? (error.error.code == .pathFailed)
      if error.refusal?.isNotFound == true { forgetCursor() }
      guard isVoid else { throw error }
      return try await all(&tree)
    }
  }

  private func all(_ tree: inout RemoteTree) async throws(CallError) -> TreeRecords.Cursor {
    var fresh = RemoteTree()
    let argument: JSON = [
      "path": .string(folder.path), "recursive": true, "include_deleted": false, "include_mounted_folders": true,
      "limit": 2_000,
    ]
    let cursor = try await run("files/list_folder", argument, into: &fresh, since: nil)
    tree.replace(by: fresh)
    return cursor
  }

  /// Applies all pages of a listing at once, because a rename may span two.
  private func run(
    _ route: String, _ argument: JSON, into tree: inout RemoteTree, since old: TreeRecords.Cursor?
  ) async throws(CallError) -> TreeRecords.Cursor {
    var page: ListingPage = try await service.ask(route, argument)
    var entries = page.entries
    var limit = PageLimit(maxFiles, address: folder.address)
    while page.hasMore {
      try page.count(in: &limit)
      page = try await service.ask("files/list_folder/continue", ["cursor": .string(page.cursor)])
      entries += page.entries
    }
    tree.apply(entries, in: folder)
    return TreeRecords.Cursor(folder: folder.path, text: page.cursor, written: old?.written ?? Timestamp(seconds: 0))
  }

  private func store(_ tree: inout RemoteTree, _ cursor: TreeRecords.Cursor) async throws(CallError) {
    var (cursor, now) = (cursor, service.runtime.now())
    var records = TreeRecords.records(tree.removeChanges())
    if !records.isEmpty || now.seconds - cursor.written.seconds > Self.cursorAge {
      cursor.written = now
      records[TreeRecords.cursorKey] = TreeRecords.record(cursor)
      try await local { () async throws(SyncError) in try await self.journal.write(records) }
    }
    held.withLock { held in (held.tree, held.cursor) = (tree, cursor) }
    signal.advance()
  }

  /// Makes the next listing a complete one.
  private func forgetCursor() {
    held.withLock { $0.cursor = nil }
    signal.invalidate()
  }

  // MARK: The space of a team

  private struct Account: Decodable, Sendable {
    struct Root: Decodable, Sendable {
      var namespace: String

      private enum CodingKeys: String, CodingKey { case namespace = "root_namespace_id" }
    }

    var root: Root

    private enum CodingKeys: String, CodingKey { case root = "root_info" }
  }

  private func chooseRoot() async throws(CallError) {
    guard usesTeamSpace, service.root == nil else { return }
    let account: Account = try await service.ask("users/get_current_account", .null)
    try await store(root: account.root.namespace)
  }

  private func store(root: String) async throws(CallError) {
    service.root = root
    let record = [Self.rootKey: Array(root.utf8) as [UInt8]?]
    try await local { () async throws(SyncError) in try await self.journal.write(record) }
  }
}
