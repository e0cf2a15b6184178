internal import HTTPStorage
internal import SyncKit

/// Writes many small files with few calls: one call uploads the contents of a hundred sessions, and one call commits a thousand
/// sessions, which takes the account's lock once.
///
/// It is only an optimisation: files that fail are left open here, and written one by one.
struct UploadBatch {
  let storage: DropboxStorage

  static let largestFile = 4 << 20
  /// The argument of an upload call is in a header, whose size is limited in practice.
  private static let portion = (files: 100, bytes: 8 << 20)
  private static let portionsAtOnce = 4
  private static let largestCommit = 1_000

  private var service: Service { storage.service }

  /// An uploaded content that is not committed yet.
  fileprivate struct Arrived: Sendable {
    var index: Int
    var session: String
    var size: Int
    var hash: String
  }

  private struct Sessions: Decodable, Sendable {
    var ids: [String]

    private enum CodingKeys: String, CodingKey { case ids = "session_ids" }
  }

  /// Writes the files and returns the result of each.
  func run(_ changes: [Change]) async throws(SyncError) -> [BatchResult] {
    var results = changes.map { _ in BatchResult.open(mayBeDone: false) }
    let sent = try await mapConcurrently(portions(of: changes), atMost: Self.portionsAtOnce) {
      indices throws(SyncError) in
      do throws(CallError) { return try await send(indices, of: changes) } catch {
        if error.error.reach == .pass { throw error.error }
        return Sent(failed: error.isFinal ? indices.map { ($0, error.error) } : [])
      }
    }
    for (index, error) in sent.flatMap(\.failed) { results[index] = .resolved(.failed(error)) }
    let arrived = sent.flatMap(\.arrived)
    for start in stride(from: 0, to: arrived.count, by: Self.largestCommit) {
      let part = Array(arrived[start..<min(start + Self.largestCommit, arrived.count)])
      for (item, result) in zip(part, try await finish(part, changes)) { results[item.index] = result }
    }
    return results
  }

  private func portions(of changes: [Change]) -> [[Int]] {
    var portions: [[Int]] = []
    var room = (files: 0, bytes: 0)
    for (index, change) in changes.enumerated() {
      let size = change.content?.size ?? 0
      if room.files == 0 || room.bytes < size {
        portions.append([])
        room = Self.portion
      }
      portions[portions.count - 1].append(index)
      room = (room.files - 1, room.bytes - size)
    }
    return portions
  }

  // MARK: Sending

  private struct Sent: Sendable {
    var arrived: [Arrived] = []
    var failed: [(Int, SyncError)] = []
  }

  private func send(_ indices: [Int], of changes: [Change]) async throws(CallError) -> Sent {
    var sent = Sent()
    var body: [UInt8] = []
    var items: [Arrived] = []
    for index in indices {
      guard let content = changes[index].content else { continue }
      do throws(SyncError) {
        let bytes = try await content.checkedBytes(atMost: Self.largestFile)
        items.append(Arrived(index: index, session: "", size: bytes.count, hash: ContentHasher.hash(of: bytes)))
        body += bytes
      } catch {
        if error.reach == .pass { throw CallError(kind: .notDone, error: error) }
        sent.failed.append((index, error))
      }
    }
    guard !items.isEmpty else { return sent }
    let sessions: Sessions = try await service.change(
      "files/upload_session/start_batch", ["num_sessions": .integer(items.count)])
    guard sessions.ids.count == items.count else { return sent }
    for (index, id) in sessions.ids.enumerated() { items[index].session = id }
    let argument: JSON = [
      "entries": .array(items.map(\.append)), "content_hash": .string(ContentHasher.hash(of: body)),
    ]
    let ends: BatchEnds = try await service.send("files/upload_session/append_batch", argument, body)
    guard ends.entries.count == items.count else { return sent }
    sent.arrived = zip(items, ends.entries).filter(\.1.isSuccess).map(\.0)
    return sent
  }

  // MARK: Committing

  private func finish(_ items: [Arrived], _ changes: [Change]) async throws(SyncError) -> [BatchResult] {
    let entries = items.map { item -> JSON in
      [
        "cursor": ["session_id": .string(item.session), "offset": .integer(item.size)],
        "commit": changes[item.index].commitInfo(in: storage.folder),
      ]
    }
    let ends: BatchEnds
    do throws(CallError) {
      ends = try await service.inTurn { () async throws(CallError) in
        try await service.change("files/upload_session/finish_batch_v2", ["entries": .array(entries)])
      }
    } catch {
      if error.error.reach == .pass { throw error.error }
      let isLost = if case .lost = error.kind { true } else { false }
      return items.map { _ in error.isFinal ? .resolved(.failed(error.error)) : .open(mayBeDone: isLost) }
    }
    guard ends.entries.count == items.count else { return items.map { _ in .open(mayBeDone: true) } }
    return try await mapConcurrently(Array(zip(items, ends.entries)), atMost: service.parallelism) {
      item, end throws(SyncError) in
      // A rejected file is written separately, which resolves the reason.
      guard end.isSuccess, let metadata = end.metadata else { return BatchResult.open(mayBeDone: false) }
      return .resolved(try await storage.finished(metadata, changes[item.index], hash: item.hash))
    }
  }
}

extension UploadBatch.Arrived {
  fileprivate var append: JSON {
    ["cursor": ["session_id": .string(session), "offset": 0], "length": .integer(size), "close": true]
  }
}

extension CallError {
  /// True if every further call would fail as well.
  var isFinal: Bool {
    if case .notDone = kind { return error.reach > .path }
    return false
  }
}
