package import SyncKit

/// A limit for the pages of a listing, without which a server could continue it forever.
package struct PageLimit {
  private var limit: ListingLimit
  private var continuations: Set<String> = []
  private var emptyPages = 0
  private let address: String

  private static let mostEmptyPages = 1_000

  /// - Parameters:
  ///   - most: the setting `max-files` of the remote
  ///   - address: the place that is listed, for the error
  package init(_ most: Int, address: String) {
    limit = ListingLimit(most, address: address)
    self.address = address
  }

  /// Adds a page. Throws if the listing is too long, or does not end.
  ///
  /// - Parameter next: the text with which the listing continues; nil on the last page
  package mutating func add(_ count: Int, next: String?) throws(SyncError) {
    try limit.add(count)
    emptyPages = count == 0 ? emptyPages + 1 : 0
    guard let next else { return }
    guard continuations.insert(next).inserted, emptyPages <= Self.mostEmptyPages else {
      throw SyncError(.unexpected, "the listing of \(address) does not end; check `api-url`")
    }
  }
}
