internal import HTTPStorage
internal import SyncKit

/// The error in an answer (Box, "Common errors").
struct Refusal: Decodable, Sendable {
  /// The item that has the name already.
  struct Conflict: Decodable, Sendable {
    var type: String
    var id: String
    var name: String?
    var sha1: String?
  }

  private struct Context: Decodable {
    var conflict: Conflict?

    private enum CodingKeys: String, CodingKey { case conflicts }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      // Box sends an object or an array.
      conflict =
        (try? members.decode(Conflict.self, forKey: .conflicts))
        ?? (try? members.decode([Conflict].self, forKey: .conflicts))?.first
    }
  }

  var code: String
  var message: String?
  /// The id for Box's support; logged.
  var requestId: String?
  var conflict: Conflict?

  private enum CodingKeys: String, CodingKey { case code, message, requestId, contextInfo }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    code = try members.decode(String.self, forKey: .code)
    message = try? members.decodeIfPresent(String.self, forKey: .message)
    requestId = try? members.decodeIfPresent(String.self, forKey: .requestId)
    conflict = (try? members.decodeIfPresent(Context.self, forKey: .contextInfo))?.conflict
  }
}

extension Answer {
  /// The error in the answer; nil if it has none, as those of proxies.
  var refusal: Refusal? { value(Refusal.self) }

  /// True if the answer has this error code.
  func has(_ codes: String...) -> Bool { refusal.map { codes.contains($0.code) } ?? false }
}
