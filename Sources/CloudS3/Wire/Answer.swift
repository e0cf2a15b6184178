internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Answer {
  /// The server's error, if the body has one.
  var failure: Failure? { Failure(body) }

  /// True if the server rejects the request for now, and it can be sent again.
  var isTemporary: Bool { [429, 500, 502, 503, 504].contains(status) || failure?.code == "RequestTimeout" }
}

/// The body of a refusal: `<Error><Code>…</Code><Message>…</Message>…</Error>`.
struct Failure: Hashable, Sendable {
  var code: String
  var message: String
  /// The region that the server expects.
  var region: String?

  init?(_ body: [UInt8]) {
    guard !body.isEmpty, let document = Document(body), document.root == "Error" else { return nil }
    code = document.text("Code") ?? ""
    message = document.text("Message") ?? ""
    region = document.text("Region")
  }
}

/// The version of an object.
struct ObjectFacts: Hashable, Sendable {
  /// The entity tag without quotes. Within one server, equal tags mean equal bytes.
  var tag: String
  var size: Int
  var modified: Timestamp?
  /// The digest of the content as the writer declared it; nil if it is unknown.
  var digest: Digest?
  /// The random name of a tombstone; nil for a file.
  var tombstone: String?

  var revision: Revision { Revision("\(tag) \(size)") }

  /// The tag in a revision.
  static func tag(in revision: Revision) -> String {
    String(decoding: revision.bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// The entry at `path`.
  func entry(at path: SyncPath) -> Entry { Entry(path: path, revision: revision, size: size, modified: modified) }

  static func bare(_ tag: String) -> String { tag.filter { $0 != "\"" } }
}

extension ObjectFacts {
  /// Reads the headers of an answer to HEAD or GET; nil if they have no tag or no size.
  init?(headers: (String) -> String?) {
    guard let tag = headers("ETag").map(Self.bare), Self.isTag(tag),
      let size = headers("Content-Length").flatMap({ Int($0) }), size >= 0
    else { return nil }
    self.init(
      tag: tag, size: size, modified: headers("Last-Modified").flatMap(HTTPDate.time),
      digest: headers(Header.digest).flatMap(Digest.init(hexadecimal:)), tombstone: headers(Header.tombstone))
  }

  /// Returns true for printable ASCII without spaces: other tags could not be sent back, and would not survive in a revision.
  static func isTag(_ tag: String) -> Bool {
    !tag.isEmpty && tag.utf8.count <= 256 && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

/// The metadata of our objects.
enum Header {
  static let digest = "x-amz-meta-syncd-sha256"
  static let modified = "x-amz-meta-mtime"
  static let tombstone = "x-amz-meta-syncd-tombstone"
}
