internal import CurlHTTP
internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// Receives files by their ids, which prove that they arrived unaltered.
struct BlobReading: Sendable {
  let service: Service
  let cache: ObjectCache

  /// The number of attempts to fetch a content that arrives damaged.
  private static let attempts = 3

  init(_ service: Service, _ cache: ObjectCache) {
    self.service = service
    self.cache = cache
  }

  /// Returns a small file.
  func bytes(of id: ObjectID, atMost limit: Int) async throws(SyncError) -> [UInt8] {
    let sink = MemorySink(limit: limit)
    _ = try await receive(id, into: sink)
    return sink.bytes
  }

  /// Receives a file, again if it arrives damaged.
  func receive(_ id: ObjectID, into sink: any ContentSink) async throws(SyncError) -> (digest: Digest, size: Int) {
    for attempt in 1..<Self.attempts {
      do throws(SyncError) { return try await receiveOnce(id, into: sink) } catch {
        guard error.code == .unavailable else { throw error }
      }
      try await service.sleep(for: .milliseconds(200 << attempt))
    }
    return try await receiveOnce(id, into: sink)
  }

  private func receiveOnce(_ id: ObjectID, into sink: any ContentSink) async throws(SyncError) -> (
    digest: Digest, size: Int
  ) {
    let arrival = try await service.api.content(of: id)
    // The size is part of what is hashed.
    guard let size = cache.size(of: id) ?? arrival.size else { throw service.nonsense("GET", "/git/blobs/\(id)") }
    return try await sink.receive(size: size) { intake throws(SyncError) in
      var (hasher, count) = (ObjectHasher("blob", size: size), 0)
      try await forEachChunk(of: arrival) { chunk throws(SyncError) in
        hasher.update(chunk)
        count += chunk.count
        guard count <= size else { return false }
        try await intake.write(chunk)
        return true
      }
      guard count == size, hasher.finish() == id else {
        throw SyncError(.unavailable, "a file of \(service.place.address) arrived damaged: it does not have its hash")
      }
    }
  }

  /// Passes on what arrives, until `body` returns false.
  private func forEachChunk(
    of arrival: Arrival, _ body: ([UInt8]) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    switch arrival {
    case .whole(let bytes): _ = try await body(bytes)
    case .stream(let response): while let chunk = try await next(of: response), try await body(chunk) {}
    }
  }

  private func next(of response: HTTPResponse) async throws(SyncError) -> [UInt8]? {
    do throws(HTTPError) { return try await response.next() } catch { throw service.syncError(error, "GET") }
  }
}
