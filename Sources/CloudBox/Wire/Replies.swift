internal import SyncKit

/// A page of a folder.
struct FolderPage: Decodable, Sendable {
  var entries: [Item]
  /// Nil or empty on the last page.
  var nextMarker: String?
}

/// The answer of an upload.
struct UploadReply: Decodable, Sendable { var entries: [Item] }

/// A position in the stream of events: digits, which may be too many for a number.
struct StreamPosition: Decodable, Hashable, Sendable {
  var text: String

  init?(_ text: String) {
    guard ItemID.isValid(text) else { return nil }
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try (try? container.decode(String.self)) ?? String(container.decode(UInt64.self))
    guard let position = StreamPosition(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a position")
    }
    self = position
  }
}

/// A page of events.
struct EventPage: Decodable, Sendable {
  var entries: [Event]
  var nextStreamPosition: StreamPosition
}

/// An event: a hint that its item has to be looked up. What it says about the item may be outdated.
struct Event: Decodable, Sendable {
  struct Source: Decodable, Sendable {
    struct Parent: Decodable, Sendable { var id: String? }

    var type: String?
    var id: String?
    var parent: Parent?
  }

  var eventType: String
  var source: Source?
}

/// The address at which a client waits for events.
struct RealtimeReply: Decodable, Sendable {
  struct Server: Decodable, Sendable {
    var type: String?
    var url: String
    var maxRetries: LenientNumber?
    var retryTimeout: LenientNumber?
  }

  var entries: [Server]
}

/// A number that Box sometimes sends as a text.
struct LenientNumber: Decodable, Sendable {
  var value: Int

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int.self) {
      self.value = value
    } else {
      value = Int(try container.decode(String.self)) ?? 0
    }
  }
}

/// The end of a wait.
struct NewsReply: Decodable, Sendable { var message: String }

/// The owner of the account.
struct UserReply: Decodable, Sendable {
  var name: String
  var login: String
}

/// An upload session.
struct SessionReply: Decodable, Sendable {
  struct Endpoints: Decodable, Sendable {
    var uploadPart: String
    var commit: String
    var abort: String
    var listParts: String
  }

  var id: String
  var partSize: Int
  var sessionEndpoints: Endpoints
}

/// A part of an upload session.
struct PartReply: Decodable, Sendable {
  struct Part: Decodable, Sendable {
    var partId: String
    var offset: Int
    var size: Int
    var sha1: String?
  }

  var part: Part
}

struct PartListReply: Decodable, Sendable { var entries: [PartReply.Part] }
