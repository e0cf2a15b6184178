internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Uploaded bytes that do not belong to a file yet.
struct UploadSession {
  var bytes: [UInt8] = []
  var isClosed = false
}

/// The id of a session, and the number of bytes that were uploaded.
struct SessionCursor: Decodable {
  var sessionId: String
  var offset: Int
}

struct StartArgument: Decodable {
  var close: Bool?
  var contentHash: String?
}

struct StartBatchArgument: Decodable {
  var numSessions: Int
}

struct AppendArgument: Decodable {
  var cursor: SessionCursor
  var close: Bool?
  var contentHash: String?
}

struct AppendBatchArgument: Decodable {
  struct Entry: Decodable {
    var cursor: SessionCursor
    var length: Int
    var close: Bool?
  }

  var entries: [Entry]
  var contentHash: String?
}

struct FinishArgument: Decodable {
  var cursor: SessionCursor
  var commit: Commit
  var contentHash: String?
}

struct FinishBatchArgument: Decodable {
  var entries: [FinishArgument]
}

/// The reason why a session cannot continue, as a tag and its fields.
struct SessionRefusal: Error {
  var tag: String
  var correctOffset: Int?

  var union: JSON {
    var union: JSON = [".tag": .string(tag)]
    if let correctOffset { union["correct_offset"] = .integer(correctOffset) }
    return union
  }
}

extension Account {
  mutating func startSession(_ bytes: [UInt8], isClosed: Bool) -> String {
    let id = "pid_upload_session:" + UUID().uuidString
    sessions[id] = UploadSession(bytes: bytes, isClosed: isClosed)
    return id
  }

  mutating func append(_ bytes: [UInt8], at cursor: SessionCursor, close: Bool) throws(SessionRefusal) {
    guard try !session(at: cursor).isClosed else { throw SessionRefusal(tag: "closed") }
    sessions[cursor.sessionId]?.bytes += bytes
    sessions[cursor.sessionId]?.isClosed = close
  }

  /// Assigns each session its part of the bytes; an error of one is reported in its result.
  mutating func append(_ bytes: [UInt8], _ batch: AppendBatchArgument) throws -> JSON {
    guard batch.entries.reduce(0, { $0 + $1.length }) == bytes.count else {
      throw BadInput("the body has \(bytes.count) B, which is not the sum of all lengths")
    }
    var start = 0
    var ends: [JSON] = []
    for entry in batch.entries {
      let part = Array(bytes[start..<start + entry.length])
      start += entry.length
      do throws(SessionRefusal) {
        try append(part, at: entry.cursor, close: entry.close ?? false)
        ends.append([".tag": "success"])
      } catch { ends.append([".tag": "failure", "failure": error.union]) }
    }
    return ["entries": .array(ends)]
  }

  /// Turns a session into a file.
  mutating func finish(_ argument: FinishArgument, adding bytes: [UInt8] = []) throws(APIError) -> JSON {
    let whole: [UInt8]
    do throws(SessionRefusal) { whole = try session(at: argument.cursor).bytes + bytes } catch {
      throw APIError(summary: "lookup_failed/\(error.tag)/", [".tag": "lookup_failed", "lookup_failed": error.union])
    }
    do throws(WriteRefusal) {
      let item = try write(whole, argument.commit)
      sessions[argument.cursor.sessionId] = nil
      return metadata(of: item, isTagged: false)
    } catch { throw APIError(["path"] + error.tags) }
  }

  /// Turns many sessions into files in one step.
  mutating func finish(_ batch: FinishBatchArgument) -> JSON {
    var ends: [JSON] = []
    for entry in batch.entries {
      do throws(APIError) {
        guard case .object(let members) = try finish(entry) else { continue }
        ends.append(.object([JSON.Member(".tag", "success")] + members))
      } catch { ends.append([".tag": "failure", "failure": error.union]) }
    }
    return ["entries": .array(ends)]
  }

  private func session(at cursor: SessionCursor) throws(SessionRefusal) -> UploadSession {
    guard let session = sessions[cursor.sessionId] else { throw SessionRefusal(tag: "not_found") }
    guard session.bytes.count == cursor.offset else {
      throw SessionRefusal(tag: "incorrect_offset", correctOffset: session.bytes.count)
    }
    return session
  }
}
