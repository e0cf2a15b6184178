internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// Uploads a large content in parts; nothing is visible until the session is committed.
final class LargeUpload: Upload {
  private let service: Service
  private let attributes: FileAttributes
  private let content: Content
  private let state = Mutex(State())

  private struct State {
    /// The session and the place that it was begun for.
    var session: (key: String, session: SessionReply)?
    var parts: JSON = []
    var hash = ContentHash.of([])
  }

  /// The smallest size that Box takes in parts.
  static let smallest = 20 << 20
  private static let attempts = 3
  /// The longest time in seconds to wait until the parts are assembled.
  private static let patience: Int64 = 600
  private static let largestPart = 64 << 20

  init(_ service: Service, _ attributes: FileAttributes, _ content: Content) {
    (self.service, self.attributes, self.content) = (service, attributes, content)
  }

  var hash: ContentHash { state.withLock { $0.hash } }

  func send(to target: UploadTarget) async throws(SyncError) -> Outcome {
    let session: SessionReply
    if let begun = state.withLock({ $0.session }), begun.key == target.key {
      session = begun.session
    } else {
      switch try await begin(target) {
      case .answered(let answer) where answer.isGood: session = try service.value(in: answer, at: attributes.name)
      case let outcome: return outcome
      }
      do throws(SyncError) { try await sendParts(session) } catch {
        await discard(session)
        throw error
      }
      state.withLock { $0.session = (target.key, session) }
    }
    return try await commit(session, target)
  }

  /// Removes the parts of a session that is not committed.
  func discard() async {
    if let session = state.withLock({ $0.session?.session }) { await discard(session) }
  }

  private func discard(_ session: SessionReply) async {
    let url = service.hosts.session(session.id, session.sessionEndpoints.abort)
    // Box removes it anyway, some days later.
    _ = try? await service.change(HTTPRequest("DELETE", url))
  }

  private func begin(_ target: UploadTarget) async throws(SyncError) -> Outcome {
    var wish: JSON = ["file_size": .integer(content.size)]
    var path = "files/upload_sessions"
    switch target {
    case .new(let folder): wish.add(["folder_id": .string(folder), "file_name": .string(attributes.name)])
    case .version(let file, _): path = "files/\(file)/upload_sessions"
    }
    let request = HTTPRequest(
      "POST", "\(service.hosts.upload)/2.0/\(path)", headers: [HTTPHeader("Content-Type", "application/json")],
      body: HTTPBytes(wish.line))
    let outcome = try await service.change(request)
    // A session without a commit does no harm.
    return outcome.isLost ? try await service.change(request) : outcome
  }

  // MARK: Parts

  private func sendParts(_ session: SessionReply) async throws(SyncError) {
    guard (1...Self.largestPart).contains(session.partSize) else { throw service.nonsense(attributes.name) }
    let url = service.hosts.session(session.id, session.sessionEndpoints.uploadPart)
    var (offset, piece, parts) = (0, [UInt8](), [JSON]())
    var (hasher, digest) = (ContentHasher(), DigestHasher())
    var reader = try content.reader()
    while offset < content.size {
      let chunk = try await reader.next()
      if let chunk {
        digest.update(chunk)
        hasher.update(chunk)
        piece += chunk
      }
      while piece.count >= session.partSize || chunk == nil && !piece.isEmpty {
        let part = Array(piece.prefix(session.partSize))
        piece.removeFirst(part.count)
        parts.append(try await send(part, at: offset, to: url, session))
        offset += part.count
      }
      if chunk == nil { break }
    }
    guard offset == content.size, digest.finish() == content.digest else {
      throw SyncError(.changedMeanwhile, "the file changed while it was sent")
    }
    let (list, hash) = (JSON.array(parts), hasher.finish())
    state.withLock { state in (state.parts, state.hash) = (list, hash) }
  }

  /// Sends a part until it has arrived; returns its description.
  private func send(
    _ bytes: [UInt8], at offset: Int, to url: String, _ session: SessionReply
  ) async throws(SyncError) -> JSON {
    let hash = ContentHash.of(bytes)
    let request = HTTPRequest(
      "PUT", url,
      headers: [
        HTTPHeader("Content-Range", "bytes \(offset)-\(offset + bytes.count - 1)/\(content.size)"),
        HTTPHeader("Digest", hash.header), HTTPHeader("Content-Type", "application/octet-stream"),
      ], body: HTTPBytes(bytes))
    for attempt in 1... {
      let outcome = try await service.change(request)
      if case .answered(let answer) = outcome, answer.isGood, let reply = answer.value(PartReply.self),
        reply.part.isPart(at: offset, bytes.count, hash)
      {
        return reply.part.json
      }
      // It may have arrived although the answer was lost; it cannot be replaced.
      if let part = try await part(at: offset, of: session), part.isPart(at: offset, bytes.count, hash) {
        return part.json
      }
      guard attempt < Self.attempts else { throw error(of: outcome) }
    }
    preconditionFailure("a loop without an end has ended")
  }

  private func part(at offset: Int, of session: SessionReply) async throws(SyncError) -> PartReply.Part? {
    let url = service.hosts.session(session.id, session.sessionEndpoints.listParts, "/parts")
    guard case .answered(let answer) = try await service.change(HTTPRequest("GET", url, mayBeRepeated: true)) else {
      return nil
    }
    return answer.value(PartListReply.self)?.entries.first { $0.offset == offset }
  }

  private func error(of outcome: Outcome) -> SyncError {
    switch outcome {
    case .answered(let answer): service.failure(answer, at: attributes.name)
    case .notSent(let error), .lost(let error): error
    }
  }

  // MARK: Committing

  /// Turns the parts into a file. Box may need some time to assemble them, and says so in two ways.
  private func commit(_ session: SessionReply, _ target: UploadTarget) async throws(SyncError) -> Outcome {
    let url = service.hosts.session(session.id, session.sessionEndpoints.commit, "/commit")
    let (parts, hash) = state.withLock { ($0.parts, $0.hash) }
    let body: JSON = ["parts": parts, "attributes": attributes.json()]
    var request = HTTPRequest(
      "POST", url, headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Digest", hash.header)],
      body: HTTPBytes(body.line))
    if let etag = target.etag { request.headers.append(HTTPHeader("If-Match", etag)) }
    var waited: Int64 = 0
    while true {
      let outcome = try await service.change(request)
      guard case .answered(let answer) = outcome, answer.status == 202 || answer.has("parts_mismatch"),
        waited < Self.patience
      else { return outcome }
      let wait = min(max(1, answer.retryAfter ?? 10), 60)
      waited += wait
      try await service.sleep(for: .seconds(wait))
    }
  }
}

extension PartReply.Part {
  func isPart(at offset: Int, _ size: Int, _ hash: ContentHash) -> Bool {
    self.offset == offset && self.size == size && sha1.map { $0 == hash.hexadecimal } ?? true
  }

  var json: JSON {
    var json: JSON = ["part_id": .string(partId), "offset": .integer(offset), "size": .integer(size)]
    if let sha1 { json["sha1"] = .string(sha1) }
    return json
  }
}
