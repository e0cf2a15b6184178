internal import SFTPWire
internal import SyncKit

/// The upload of a content to a temporary name.
struct Upload: Sendable {
  let storage: SFTPStorage
  let path: SyncPath
  /// True if the server makes contents durable on request.
  let syncs: Bool

  private var server: Server { storage.server }

  /// The number of pieces whose answers are awaited together.
  private static let pieces = 32
  private static let attempts = 3

  /// Uploads the content and returns its attributes. Its time is later than that of the version to replace, so that no two
  /// successive versions have the same revision; its permissions are the same.
  func run(
    _ content: Content, over former: (attributes: SFTPAttributes, facts: FileFacts)?
  ) async throws(SyncError) -> FileFacts {
    let name = storage.folder.bytes(of: path)
    let attributes = try await store(content, under: try await opened(name))
    guard var facts = FileFacts(attributes), facts.size == UInt64(content.size) else {
      throw failure("the server stored another size")
    }
    storage.state.record(time: facts.seconds)
    guard let former else { return facts }
    let permissions = former.attributes.permissions.map { $0 & 0o777 }
    let isSame = permissions == nil || permissions == attributes.permissions.map { $0 & 0o777 }
    let seconds = max(facts.seconds, former.facts.seconds == .max ? .max : former.facts.seconds + 1)
    guard !isSame || seconds != facts.seconds else { return facts }
    // A server that cannot set them has stored the content all the same.
    let replies = try await server.perform([
      .setAttributes(
        name, permissions: isSame ? nil : permissions, seconds: seconds == facts.seconds ? nil : seconds),
      .stat(name),
    ])
    facts = replies[1].attributes.flatMap { FileFacts($0) } ?? facts
    return facts
  }

  /// Creates the file, and the folders above it if they are missing.
  private func opened(_ name: [UInt8]) async throws(SyncError) -> [UInt8] {
    var last: SFTPStatus?
    for _ in 0..<Self.attempts {
      switch try await server.perform(.create(name)) {
      case .handle(let handle): return handle
      case let reply: last = reply.refusal
      }
      guard let parent = path.parent else { break }
      let folders = [parent] + parent.ancestors
      _ = try await server.perform(folders.reversed().map { .makeFolder(storage.folder.bytes(of: $0)) })
    }
    throw failure(last?.message ?? "no reason given")
  }

  private func store(_ content: Content, under handle: [UInt8]) async throws(SyncError) -> SFTPAttributes {
    let rest: [SFTPRequest]
    do throws(SyncError) { rest = try await writeStart(of: content, handle) } catch {
      server.post([.close(handle: handle)])
      throw error
    }
    // Closes the file with the last requests: only then it is certain that a quota or a network drive has accepted it.
    let end: [SFTPRequest] =
      (syncs ? [.synchronize(handle: handle)] : []) + [
        .statHandle(handle), .close(handle: handle),
      ]
    let replies = try await server.perform(rest + end)
    if let refusal = replies.lazy.compactMap(\.refusal).first { throw failure(refusal.message) }
    return replies.lazy.compactMap(\.attributes).first ?? SFTPAttributes()
  }

  /// Writes the content except its last pieces, which are returned.
  private func writeStart(of content: Content, _ handle: [UInt8]) async throws(SyncError) -> [SFTPRequest] {
    var (requests, offset): ([SFTPRequest], UInt64) = ([], 0)
    var reader = try content.verified.reader()
    while let chunk = try await reader.next() {
      if requests.count >= Self.pieces {
        try await write(requests)
        requests = []
      }
      for start in stride(from: 0, to: chunk.count, by: SFTPTalk.piece) {
        let piece = Array(chunk[start..<min(start + SFTPTalk.piece, chunk.count)])
        requests.append(.write(handle: handle, offset: offset, piece))
        offset += UInt64(piece.count)
      }
    }
    return requests
  }

  private func write(_ requests: [SFTPRequest]) async throws(SyncError) {
    if let refusal = try await server.perform(requests).lazy.compactMap(\.refusal).first {
      throw failure(refusal.message)
    }
  }

  private func failure(_ reason: String) -> SyncError {
    SyncError(
      .pathFailed,
      "cannot upload \(path) to \(storage.folder.hostName): \(reason); the disk or the quota may be full, or the folder "
        + "read-only")
  }
}
