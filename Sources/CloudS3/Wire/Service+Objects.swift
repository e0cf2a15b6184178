internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Service {
  /// Returns the present version at a key; nil if HEAD does not find it, which does not prove that it is absent.
  func head(_ key: [UInt8], _ path: SyncPath?) async throws(SyncError) -> (facts: ObjectFacts, date: Timestamp?)? {
    let answer = try await answer(to: Call("HEAD", key: key))
    if answer.status == 404 { return nil }
    guard answer.isGood else { throw await syncError(answer, "HEAD", path) }
    guard let facts = ObjectFacts(headers: { answer.header($0) }) else {
      throw SyncError(.unavailable, "the answer of \(bucket.address) to HEAD has no entity tag or no size")
    }
    return (facts, answer.date)
  }

  /// Returns true if a listing proves that a key has no object: HEAD cannot tell a missing object from a missing bucket.
  func isAbsent(_ key: [UInt8]) async throws(SyncError) -> Bool {
    let page = try await page(prefix: key, limit: 1, token: nil)
    return page.objects.first?.key != key
  }

  /// Returns one page of a listing.
  func page(prefix: [UInt8], limit: Int = 1_000, token: [UInt8]?) async throws(SyncError) -> ListingPage {
    var call = Call("GET")
    call.query = [
      ("list-type", Array("2".utf8)), ("prefix", prefix), ("encoding-type", Array("url".utf8)),
      ("max-keys", Array("\(limit)".utf8)),
    ]
    if let token { call.query.append(("continuation-token", token)) }
    let answer = try await answer(to: call)
    guard answer.isGood else { throw await syncError(answer, "GET") }
    guard let page = ListingPage(answer.body, bucket: bucket.name, prefix: prefix) else {
      throw SyncError(
        .unavailable,
        "the answer of \(bucket.address) is not a listing of this bucket; check `endpoint`, and if the network has a sign-in page"
      )
    }
    return page
  }

  /// Returns a small object; nil if it does not exist. With a tag, `.unchanged` if it still has it.
  func small(
    _ key: [UInt8], unless tag: String? = nil, limit: Int
  ) async throws(SyncError) -> SmallObject {
    var call = Call("GET", key: key)
    call.answerLimit = limit
    if let tag { call.headers = [HTTPHeader("If-None-Match", "\"\(tag)\"")] }
    let answer = try await answer(to: call)
    switch answer.status {
    case 304: return .unchanged
    case 404 where answer.failure?.code != "NoSuchBucket": return .absent
    case 200:
      guard let tag = answer.header("ETag").map(ObjectFacts.bare), ObjectFacts.isTag(tag) else { return .absent }
      return .found(tag: tag, body: answer.body)
    default: throw await syncError(answer, "GET")
    }
  }

  enum SmallObject: Sendable {
    case unchanged
    case absent
    case found(tag: String, body: [UInt8])
  }
}
