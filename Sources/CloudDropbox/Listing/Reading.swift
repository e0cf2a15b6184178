internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DropboxStorage {
  /// The number of attempts to fetch a content that arrives damaged.
  private static let attempts = 3

  private func readAlone(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    if path == MarkerCache.path, let cached = try await marker.removeContent() {
      var entry = cached.entry
      entry.digest = try await sink.receive(cached.bytes)
      return .read(entry)
    }
    guard DropboxFolder.violation(by: path) == nil else { return .absent }
    var last = SyncError(.unavailable, "\(path) arrives damaged again and again")
    for _ in 0..<Self.attempts {
      do throws(CallError) { return try await fetch(path, into: sink) } catch {
        if error.error.reach == .pass { throw error.error }
        guard error.isTransient else { return result(of: error, path) }
        last = error.error
      }
    }
    return .failed(last)
  }

  private func result(of error: CallError, _ path: SyncPath) -> ReadResult {
    guard let refusal = error.refusal else { return .failed(error.error) }
    if refusal.isNotFound { return .absent }
    if refusal.has("not_file") { return .failed(SyncError(.pathFailed, "\(path) is a folder in Dropbox")) }
    return .failed(refusal.error(at: path.description))
  }

  private func fetch(_ path: SyncPath, into sink: any ContentSink) async throws(CallError) -> ReadResult {
    let response = try await service.download(folder.path(of: path))
    guard let told = response.header("Dropbox-API-Result"),
      let metadata = try? JSONDecoder().decode(Metadata.self, from: Data(told.utf8)), let version = metadata.version
    else {
      throw CallError(kind: .lost, error: SyncError(.unavailable, "the answer for \(path) lacks its metadata"))
    }
    guard writtenPath(of: metadata) == path else { return .absent }
    let received: (digest: Digest, size: Int)
    do throws(SyncError) { received = try await receive(response, version, path, into: sink) } catch {
      throw CallError(kind: error.code == .unavailable ? .lost : .notDone, error: error)
    }
    var entry = entry(of: version, at: path)
    entry.digest = received.digest
    entry.size = received.size
    return .read(entry)
  }

  /// Receives a content, and discards it if it does not match its announced hash.
  private func receive(
    _ response: HTTPResponse, _ version: Metadata.Version, _ path: SyncPath, into sink: any ContentSink
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let isMarker = path == MarkerCache.path
    var small: [UInt8] = []
    let received = try await sink.receive(size: version.size) { intake throws(SyncError) in
      var (hasher, size) = (ContentHasher(), 0)
      while true {
        let chunk: [UInt8]?
        do throws(HTTPError) { chunk = try await response.next() } catch {
          throw CallError(error, "files/download").error
        }
        guard let chunk else { break }
        hasher.update(chunk)
        size += chunk.count
        guard size <= version.size else { break }
        if isMarker { small += chunk }
        try await intake.write(chunk)
      }
      guard size == version.size, version.hash.map({ $0 == hasher.finish() }) ?? true else {
        throw SyncError(.unavailable, "\(path) arrived damaged: its hash differs from the one in its metadata")
      }
    }
    if isMarker { try await marker.store(version.revision, small) }
    return received
  }

  // MARK: Many

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await mapConcurrently(paths, atMost: service.parallelism) { path throws(SyncError) in
      try await readAlone(path, into: sink)
    }
  }
}
