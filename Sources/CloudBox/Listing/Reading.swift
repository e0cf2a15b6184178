internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension BoxStorage {
  /// The number of attempts to fetch a content that arrives damaged or is not ready.
  private static let attempts = 3
  /// The longest wait in seconds for a content that Box prepares.
  private static let longestWait: Int64 = 30

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await mapConcurrently(paths, atMost: service.parallelism) { path throws(SyncError) in
      try await readAlone(path, into: sink.of(path))
    }
  }

  private func readAlone(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    if path == MarkerCache.path, let cached = try await marker.removeContent() {
      var entry = cached.entry
      entry.digest = try await sink.receive(cached.bytes)
      return .read(entry)
    }
    if let (id, node) = try await feed.tree()[path], case .file(let version) = node.kind {
      return try await fetch(id, version, path, into: sink)
    }
    switch try await lookup.find(path) {
    case .file(let item):
      guard let version = item.version else { return .absent }
      return try await fetch(item.id, version, path, into: sink)
    case .other(let item) where item.isFolder:
      return .failed(SyncError(.pathFailed, "\(path) is a folder in Box"))
    case .other: return .failed(SyncError(.pathFailed, "\(path) is an item that Box does not offer as a file"))
    case .spelledOtherwise, .absent: return .absent
    case .unclear(let error): return .failed(error)
    }
  }

  /// Reads exactly this version.
  private func fetch(
    _ id: String, _ version: Item.Version, _ path: SyncPath, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    var last = SyncError(.unavailable, "\(path) arrives damaged again and again")
    for attempt in 1...Self.attempts {
      do throws(SyncError) {
        switch try await service.download(id, version: version.id) {
        case .content(let response):
          var entry = Self.entry(of: version, at: path)
          (entry.digest, entry.size) = try await receive(response, version, path, into: sink)
          return .read(entry)
        case .refused(let answer):
          if let result = try await result(of: answer, version, path, isLast: attempt == Self.attempts) {
            return result
          }
        }
      } catch {
        guard error.reach != .pass else { throw error }
        guard error.code == .unavailable else { return .failed(error) }
        last = error
      }
      try await service.sleep(for: .milliseconds(200 << attempt))
    }
    return .failed(last)
  }

  /// The result after a refusal; nil if another attempt may succeed.
  private func result(
    of answer: Answer, _ version: Item.Version, _ path: SyncPath, isLast: Bool
  ) async throws(SyncError) -> ReadResult? {
    switch answer.status {
    case 202:
      guard !isLast else { return .postponed("Box is still preparing the content") }
      try await service.sleep(for: .seconds(min(answer.retryAfter ?? 1, Self.longestWait)))
      return nil
    case 403, 404:
      switch try await lookup.find(path) {
      case .absent, .spelledOtherwise, .other: return .absent
      case .file(let item) where item.version != version: return .postponed("it changed while it was read")
      case .file where answer.status == 404: return .postponed("Box does not find its content")
      case .file, .unclear: return .failed(service.failure(answer, at: path.description))
      }
    default:
      let error = service.failure(answer, at: path.description)
      guard error.code == .unavailable, !isLast else { return .failed(error) }
      return nil
    }
  }

  /// Receives a content, and discards it if it does not match its announced hash.
  private func receive(
    _ response: HTTPResponse, _ version: Item.Version, _ path: SyncPath, into sink: any ContentSink
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let isMarker = path == MarkerCache.path
    var small: [UInt8] = []
    let received = try await sink.receive(size: version.size) { intake throws(SyncError) in
      var (hasher, size) = (ContentHasher(), 0)
      while true {
        let chunk: [UInt8]?
        do throws(HTTPError) { chunk = try await response.next() } catch { throw service.syncError(error, "GET") }
        guard let chunk else { break }
        hasher.update(chunk)
        size += chunk.count
        guard size <= version.size else { break }
        if isMarker { small += chunk }
        try await intake.write(chunk)
      }
      guard size == version.size, hasher.finish().hexadecimal == version.sha1 else {
        throw SyncError(.unavailable, "\(path) arrived damaged: its hash differs from the listed one")
      }
    }
    if isMarker { try await marker.store(version.revision, small) }
    return received
  }
}

extension Answer {
  /// The seconds in `Retry-After`; nil without a valid one.
  var retryAfter: Int64? {
    header("Retry-After").flatMap { ServerPause.seconds(in: $0, date: header("Date")) }
  }
}
