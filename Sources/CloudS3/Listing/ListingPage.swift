internal import HTTPStorage
internal import SyncKit

/// A page of a listing (ListObjectsV2).
struct ListingPage: Sendable {
  var objects: [(key: [UInt8], facts: ObjectFacts, isArchived: Bool)] = []
  /// The token of the next page; nil on the last one.
  var next: [UInt8]?

  /// The maximum number of keys in a page that a server may send without being asked.
  private static let largestPage = 100_000
  private static let archives: Set<String> = ["GLACIER", "DEEP_ARCHIVE"]

  /// Parses a page; nil unless it is one of this bucket and prefix, and every key begins with the prefix.
  init?(_ body: [UInt8], bucket: String, prefix: [UInt8]) {
    guard let document = Document(body), document.root == "ListBucketResult", document.text("Name") == bucket,
      document.contents.count <= Self.largestPage, let isTruncated = document.text("IsTruncated")
    else { return nil }
    let isEncoded = document.text("EncodingType") == "url"
    let decode = { (text: [UInt8]) in isEncoded ? PercentCoding.decoded(text, decodesPlus: true) : text }
    guard document.fields["Prefix"].map({ $0 == prefix || decode($0) == prefix }) ?? prefix.isEmpty else { return nil }
    for content in document.contents {
      guard let key = content["Key"].map(decode), key.starts(with: prefix),
        let size = content["Size"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), size >= 0,
        let tag = content["ETag"].map({ ObjectFacts.bare(String(decoding: $0, as: UTF8.self)) }), ObjectFacts.isTag(tag)
      else { return nil }
      let modified = content["LastModified"].flatMap { ISOTime.time(String(decoding: $0, as: UTF8.self)) }
      let storageClass = String(decoding: content["StorageClass"] ?? [], as: UTF8.self)
      objects.append(
        (key, ObjectFacts(tag: tag, size: size, modified: modified), Self.archives.contains(storageClass)))
    }
    guard isTruncated == "true" else { return }
    guard let token = document.fields["NextContinuationToken"], !token.isEmpty else { return nil }
    next = token
  }
}
