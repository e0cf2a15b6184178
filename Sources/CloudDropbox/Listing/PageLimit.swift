internal import SyncKit

/// A limit for the pages of a listing, without which a server could continue it forever.
struct PageLimit {
  private var limit: ListingLimit
  private var cursors: Set<String> = []
  private var emptyPages = 0

  private static let mostEmptyPages = 1_000

  init(_ maxFiles: Int, _ folder: DropboxFolder) {
    limit = ListingLimit(maxFiles, address: folder.address)
  }

  /// Adds a page. Throws if the listing is too long, or does not end.
  mutating func add(_ page: ListingPage) throws(CallError) {
    do throws(SyncError) {
      try limit.add(page.entries.count)
      emptyPages = page.entries.isEmpty ? emptyPages + 1 : 0
      guard cursors.insert(page.cursor).inserted, emptyPages <= Self.mostEmptyPages else {
        throw SyncError(.unexpected, "the listing of Dropbox does not end; check `api-url`")
      }
    } catch {
      throw CallError(kind: .notDone, error: error)
    }
  }
}
