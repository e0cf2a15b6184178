internal import SyncKit

/// A limit for the pages of a listing, without which a server could continue it forever.
struct PageLimit {
  private var cursors: Set<String> = []
  private var entryCount = 0
  private var emptyPages = 0

  private static let mostEntries = 5_000_000
  private static let mostEmptyPages = 1_000

  /// Returns true if the listing may continue after this page.
  mutating func accepts(_ page: ListingPage) -> Bool {
    entryCount += page.entries.count
    emptyPages = page.entries.isEmpty ? emptyPages + 1 : 0
    let isNew = cursors.insert(page.cursor).inserted
    return isNew && entryCount <= Self.mostEntries && emptyPages <= Self.mostEmptyPages
  }
}

extension SyncError {
  /// The error for a listing with more pages than any account has.
  static let endlessListing = SyncError(
    .unexpected, "the listing of Dropbox does not end; check `api-url`, or set `root` to a folder with fewer files")
}
