internal import SyncKit

/// Uploads a large content in pieces; nothing is visible until the session is committed.
final class UploadSession {
  private let service: Service
  private var id: String?
  private var offset = 0
  private var hasher = ContentHasher()
  /// The content hash of everything sent, after the upload.
  private(set) var hash = ""

  private static let attempts = 3

  init(service: Service) { self.service = service }

  private struct Started: Decodable, Sendable {
    var id: String

    private enum CodingKeys: String, CodingKey { case id = "session_id" }
  }

  /// Uploads the content and returns the session's id. Throws if the content does not match its announced digest, so that it is
  /// never committed.
  func send(_ content: Content) async throws(CallError) -> String {
    var piece: [UInt8] = []
    var digest = DigestHasher()
    do throws(SyncError) {
      var reader = try content.reader()
      while let chunk = try await reader.next() {
        digest.update(chunk)
        piece += chunk
        guard piece.count >= Writing.pieceSize else { continue }
        let rest = Array(piece[Writing.pieceSize...])
        piece.removeLast(rest.count)
        do throws(CallError) { try await send(piece) } catch { throw error.error }
        piece = rest
      }
      do throws(CallError) { try await send(piece) } catch { throw error.error }
    } catch { throw CallError(kind: .notDone, error: error) }
    guard offset == content.size, digest.finish() == content.digest, let id else {
      throw CallError(kind: .notDone, error: SyncError(.changedMeanwhile, "the file changed while it was sent"))
    }
    hash = hasher.finish()
    return id
  }

  private func send(_ piece: [UInt8]) async throws(CallError) {
    let hash = ContentHasher.hash(of: piece)
    for attempt in 1... {
      do throws(CallError) {
        try await send(piece, hash)
        break
      } catch {
        // The piece has arrived, and only the answer was lost.
        if attempt > 1, let there = error.refusal?.correctOffset, there == offset + piece.count { break }
        let isDamaged = error.refusal?.has("content_hash_mismatch") == true
        guard attempt < Self.attempts, isDamaged || error.isTransient else { throw error }
      }
    }
    offset += piece.count
    hasher.update(piece)
  }

  private func send(_ piece: [UInt8], _ hash: String) async throws(CallError) {
    guard let id else {
      let argument: JSON = ["close": false, "content_hash": .string(hash)]
      let started: Started = try await service.send("files/upload_session/start", argument, piece)
      id = started.id
      return
    }
    let argument: JSON = [
      "cursor": ["session_id": .string(id), "offset": .integer(offset)], "close": false, "content_hash": .string(hash),
    ]
    let _: Ignored = try await service.send("files/upload_session/append_v2", argument, piece)
  }
}
