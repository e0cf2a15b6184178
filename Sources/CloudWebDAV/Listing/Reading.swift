internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension WebDAVStorage {
  /// The number of attempts to read a file that changes meanwhile.
  private static let attempts = 3

  /// Reads one file, and looks up its version afterwards.
  func readAlone(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    try await read(path, into: sink, byHeads: false).result
  }

  /// - Parameter byHeads: true to accept the version in the head of the answer for now; then the caller must verify that it is
  ///   still present.
  private func read(
    _ path: SyncPath, into sink: any ContentSink, byHeads: Bool
  ) async throws(SyncError) -> (result: ReadResult, isByHead: Bool) {
    var last = ReadResult.postponed("\(path) kept changing while it was read")
    for _ in 0..<Self.attempts {
      switch try await fetch(path, into: sink) {
      case .done(let result): return (result, false)
      case .missed(let error):
        last = .failed(error)
        // A lock that outlives its file leaves a name without any other property.
        if error.code == .notFound { try await releaseOwnLock(on: path) }
        try await server.pauseRandomly(around: .milliseconds(50))
      case .fetched(let fetched):
        let head = byHeads ? try await head(of: fetched) : nil
        let lookup: LookupResult = if let head { .there(head) } else { try await evidence(for: fetched, at: path) }
        let observation: Observation
        switch lookup {
        case .there(let found): observation = found
        // lighttpd returns `a` for a request of `a/b`.
        case .absent: return (.absent, false)
        case .unclear(let error):
          last = .failed(error)
          continue
        }
        if observation.facts.isFolder {
          return (.failed(SyncError(.pathFailed, "\(path) is a folder on \(address)")), false)
        }
        guard let entry = try await entry(fetched, observation, at: path) else { continue }
        return (.read(entry), head != nil)
      }
    }
    return (last, false)
  }

  /// A received content with the head of its answer.
  private struct Fetched: Sendable {
    var response: HTTPResponse
    var digest: Digest
    var size: Int
  }

  private enum Fetch: Sendable {
    case fetched(Fetched)
    /// The file was missing for a moment, for example while a version was moved in place, or was removed during the transfer.
    case missed(SyncError)
    case done(ReadResult)
  }

  private func fetch(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> Fetch {
    let request = HTTPRequest(
      "GET", server.address.file(path), headers: [HTTPHeader("Accept-Encoding", "identity")], answerLimit: .max)
    let response: HTTPResponse
    do throws(SyncError) { response = try await server.ask(request) } catch {
      if error.reach == .pass { throw error }
      return .done(.failed(error))
    }
    guard response.status == 200 else { return try await result(of: response.status, path) }
    do throws(SyncError) {
      let taken = try await sink.receive(size: response.announcedSize ?? 0) { intake throws(SyncError) in
        try await self.copyBody(response, into: intake)
      }
      return .fetched(Fetched(response: response, digest: taken.digest, size: taken.size))
    } catch {
      if error.reach == .pass { throw error }
      return error.code == .unavailable ? .missed(error) : .done(.failed(error))
    }
  }

  private func copyBody(_ response: HTTPResponse, into intake: any ContentIntake) async throws(SyncError) {
    while true {
      let chunk: [UInt8]?
      do throws(HTTPError) { chunk = try await response.next() } catch { throw server.syncError(error, "GET") }
      guard let chunk else { return }
      try await intake.write(chunk)
    }
  }

  private func result(of status: Int, _ path: SyncPath) async throws(SyncError) -> Fetch {
    if status == 401 { throw server.syncError(status, "GET", path) }
    switch try await server.lookUp(path) {
    case .absent: return .done(.absent)
    case .there(let observation) where observation.facts.isFolder:
      return .done(.failed(SyncError(.pathFailed, "\(path) is a folder on \(address)")))
    case .there where status == 404 || status >= 500, .unclear where status == 404:
      return .missed(server.syncError(status, "GET", path))
    case .there, .unclear: return .done(.failed(server.syncError(status, "GET", path)))
    }
  }

  /// Returns the version of a content: from a lookup after it has arrived, or for the marker from the last listing, if it was
  /// at rest.
  private func evidence(for fetched: Fetched, at path: SyncPath) async throws(SyncError) -> LookupResult {
    if path.bytes.elementsEqual(ReservedName.marker.utf8), let observation = state.removeMarker(), observation.isAtRest,
      observation.facts.agrees(with: fetched.response)
    {
      return .there(observation)
    }
    return try await server.lookUp(path)
  }

  /// Returns the version in the head of the answer, if the server's heads agree with lookups.
  ///
  /// It proves nothing by itself. Apache creates the head before it opens the file; if another client replaces the file in
  /// between, it sends the new version, cut to the length of the old one (seen under load).
  private func head(of fetched: Fetched) async throws(SyncError) -> Observation? {
    guard let traits = try await state.traits(of: server), traits.headsAgree, traits.replacesAtOnce, traits.tagsAreFine
    else { return nil }
    let facts = Facts(head: fetched.response)
    return facts.isWhole
      ? Observation(facts: facts, date: fetched.response.header("Date").flatMap(HTTPDate.time)) : nil
  }

  /// Returns the entry of the content; nil if the file changed meanwhile.
  ///
  /// - Parameter observation: the observation after the content had arrived: a server that writes in place exposes half of an
  ///   upload, which only the size and time afterwards reveal.
  private func entry(
    _ fetched: Fetched, _ observation: Observation, at path: SyncPath
  ) async throws(SyncError) -> Entry? {
    guard observation.facts.agrees(with: fetched.response), observation.facts.size ?? fetched.size == fetched.size
    else {
      return nil
    }
    let traits = try await state.traits(of: server)
    // A young version may be incomplete if the server exposes partial uploads; check again when it is at rest.
    if traits?.replacesAtOnce != true, !state.wrote(path, observation.facts.revision),
      let wait = observation.secondsToRest
    {
      try await server.sleep(for: .seconds(wait))
      state.record(written: path, observation.facts.revision)
      return nil
    }
    var entry = observation.entry(at: path, traits)
    entry.digest = fetched.digest
    entry.size = fetched.size
    return entry
  }

  // MARK: Many

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    if paths.count == 1 { return [try await readAlone(paths[0], into: sink)] }
    let results = try await mapConcurrently(paths, atMost: server.parallelism) { path throws(SyncError) in
      try await read(path, into: sink, byHeads: true)
    }
    let readings = try paths.paired(with: results, from: address)
    let seen = try await lookUp(readings.filter(\.result.isByHead).map(\.request))
    return try await mapConcurrently(readings, atMost: server.parallelism) { path, reading throws(SyncError) in
      guard reading.isByHead, case .read(let entry) = reading.result,
        seen[path]?.facts.revision != entry.revision
      else { return reading.result }
      return try await readAlone(path, into: sink)
    }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await mapConcurrently(paths, atMost: server.parallelism) { path throws(SyncError) in
      do throws(SyncError) { return try await presence(of: path) } catch {
        if error.reach == .pass { throw error }
        return .unknown(error.message)
      }
    }
  }
}
