internal import SyncKit

/// Everything below the prefix of a store: one flat listing, because a bucket has no folders.
struct BucketListing: Sendable {
  var objects: [SyncPath: ObjectFacts] = [:]
  var unread: [Unread] = []
  /// The number of keys that no store can hold, such as those with empty parts.
  var foreignCount = 0
  var pageCount = 0

  private static let mostEmptyPages = 1_000

  /// Lists the bucket page by page. A failed page fails the listing.
  static func run(on service: Service, maxFiles: Int) async throws(SyncError) -> BucketListing {
    var listing = BucketListing()
    var tokens: Set<[UInt8]> = []
    var token: [UInt8]?
    var emptyPages = 0
    var limit = ListingLimit(maxFiles, address: service.bucket.address)
    repeat {
      let page = try await service.page(prefix: service.bucket.prefix, token: token)
      listing.pageCount += 1
      try limit.add(page.objects.count)
      listing.add(page, of: service.bucket)
      emptyPages = page.objects.isEmpty ? emptyPages + 1 : 0
      token = page.next
      let isNew = token.map { tokens.insert($0).inserted } ?? true
      guard isNew, emptyPages <= mostEmptyPages else {
        throw SyncError(.unexpected, "the listing of \(service.bucket.address) does not end")
      }
    } while token != nil
    return listing
  }

  private mutating func add(_ page: ListingPage, of bucket: Bucket) {
    for (key, facts, isArchived) in page.objects {
      // Other programs create objects with a slash at their end as folders.
      if key.last == UInt8(ascii: "/"), facts.size == 0 { continue }
      guard let path = bucket.path(ofKey: key) else {
        foreignCount += 1
        continue
      }
      if isArchived {
        unread.append(Unread(path, .special("an object in an archive class")))
      } else {
        objects[path] = facts
      }
    }
  }
}
