internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes one file: in one call, or in an upload session if it is large.
///
/// The condition is part of the call, and Dropbox checks it at the moment of the change. A call whose answer was lost is sent
/// once more: if the first was carried out, the second is rejected, and a lookup finds our own content.
struct Writing {
  let storage: DropboxStorage
  let change: Change
  /// True if it may have been carried out already, and the answer was lost.
  var mayBeDone = false

  /// The maximum size of one call. Larger files are sent in pieces of this size, a multiple of 4 MiB as sessions require.
  static let pieceSize = 8 << 20
  private static let attempts = 3

  private var service: Service { storage.service }
  private var path: SyncPath { change.path }

  func run() async throws(SyncError) -> WriteResult {
    guard let content = change.content else { preconditionFailure("a removal has no content") }
    guard change.condition == .absent || change.expectedRev != nil else { return try await refused() }
    let upload: Upload
    do throws(CallError) { upload = try await prepare(content) } catch { return try failed(error) }
    let first = try await put(upload)
    guard case .failed(let error) = first, error.code == .pathFailed, change.condition == .absent,
      try await storage.removeEmptyFolder(at: path)
    else { return first }
    return try await put(upload)
  }

  // MARK: Sending

  /// The content to commit: bytes, or a session that contains them.
  private enum Upload {
    case bytes([UInt8], hash: String)
    case session(String, size: Int, hash: String)

    var hash: String {
      switch self {
      case .bytes(_, let hash), .session(_, _, let hash): hash
      }
    }
  }

  private func prepare(_ content: Content) async throws(CallError) -> Upload {
    do throws(SyncError) {
      guard content.size > Self.pieceSize else {
        let bytes = try await content.checkedBytes(atMost: Self.pieceSize)
        return .bytes(bytes, hash: ContentHasher.hash(of: bytes))
      }
    } catch { throw CallError(kind: .notDone, error: error) }
    let session = UploadSession(service: service)
    return .session(try await session.send(content), size: content.size, hash: session.hash)
  }

  private func put(_ upload: Upload) async throws(SyncError) -> WriteResult {
    var wasLost = mayBeDone
    var attempt = 1
    while true {
      let end: Result<Metadata, CallError>
      do throws(CallError) { end = .success(try await commit(upload)) } catch { end = .failure(error) }
      let failure: CallError
      switch end {
      case .success(let metadata): return try await storage.finished(metadata, change, hash: upload.hash)
      case .failure(let error): failure = error
      }
      let isDamaged = failure.refusal?.has("content_hash_mismatch") == true
      let isLost = if case .lost = failure.kind { true } else { false }
      guard attempt < Self.attempts, isDamaged || isLost && attempt == 1 else {
        return try await storage.resolve(failure, change, hash: upload.hash, mayBeDone: wasLost || isLost)
      }
      wasLost = wasLost || isLost
      attempt += 1
    }
  }

  /// One change at a time in an account.
  private func commit(_ upload: Upload) async throws(CallError) -> Metadata {
    try await service.inTurn { () async throws(CallError) in
      switch upload {
      case .bytes(let bytes, let hash):
        var argument = change.commitInfo(in: storage.folder)
        argument["content_hash"] = .string(hash)
        return try await service.send("files/upload", argument, bytes)
      case .session(let id, let size, _):
        let argument: JSON = [
          "cursor": ["session_id": .string(id), "offset": .integer(size)],
          "commit": change.commitInfo(in: storage.folder),
        ]
        return try await service.send("files/upload_session/finish", argument, [])
      }
    }
  }

  private func refused() async throws(SyncError) -> WriteResult {
    try await storage.resolve(
      CallError(kind: .refused(Refusal(tags: ["conflict"])), error: SyncError(.changedMeanwhile, "")), change, hash: "",
      mayBeDone: false)
  }

  private func failed(_ error: CallError) throws(SyncError) -> WriteResult {
    if error.error.reach == .pass { throw error.error }
    return .failed(error.error)
  }
}

extension Change {
  /// The argument for a commit. Without `strict_conflict`, an update of a deleted file would restore it.
  func commitInfo(in folder: DropboxFolder) -> JSON {
    let mode: JSON =
      expectedRev.map { [".tag": "update", "update": .string($0)] } ?? [".tag": "add"]
    var info: JSON = [
      "path": .string(folder.path(of: path)), "mode": mode, "autorename": false, "mute": true, "strict_conflict": true,
    ]
    if let modified {
      info["client_modified"] = .string(Date(timeIntervalSince1970: Double(modified.seconds)).ISO8601Format())
    }
    return info
  }
}

extension Service {
  /// Runs `work` while no other change of the account is in progress.
  func inTurn<Value>(_ work: () async throws(CallError) -> Value) async throws(CallError) -> Value {
    let result: Result<Value, CallError>
    do throws(SyncError) {
      result = try await locks.withLock("change") { () async throws(SyncError) in
        do throws(CallError) { return .success(try await work()) } catch { return .failure(error) }
      }
    } catch { throw CallError(kind: .notDone, error: error) }
    return try result.get()
  }
}
