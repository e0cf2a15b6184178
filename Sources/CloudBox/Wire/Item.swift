internal import SyncKit

/// Box's description of an item. Unknown members are ignored, because Box may add some at any time.
struct Item: Decodable, Sendable {
  /// The members that a listing must have.
  static let fields = "id,type,name,etag,sha1,size,file_version,parent,item_status"

  enum Kind: Hashable, Sendable {
    case folder
    case file(Version)
    /// An item that is not a file, such as a `web_link`.
    case other(String)
  }

  /// One version of a file.
  struct Version: Hashable, Sendable {
    var etag: String
    var sha1: String
    var size: Int
    /// The id of the version.
    var id: String

    /// Proves the version: the etag is the condition of a change, and the hash shows if the content is the same.
    var revision: Revision { Revision("\(etag) \(sha1)") }
  }

  var id: String
  var name: String
  var kind: Kind
  /// The id of its folder; nil if the answer does not say it.
  var parent: String?
  /// False for an item in the trash.
  var isActive: Bool

  var version: Version? { if case .file(let version) = kind { version } else { nil } }
  var isFolder: Bool { kind == .folder }

  private enum CodingKeys: String, CodingKey {
    case type, id, name, etag, sha1, size, fileVersion, parent, itemStatus
  }

  private struct Reference: Decodable { var id: String }

  /// Throws for an answer that is not of this form: an id that is not a number, a name that no path can have, a file without a
  /// version.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(String.self, forKey: .id)
    name = try members.decode(String.self, forKey: .name)
    parent = try members.decodeIfPresent(Reference.self, forKey: .parent)?.id
    isActive = try members.decodeIfPresent(String.self, forKey: .itemStatus).map { $0 == "active" } ?? true
    kind = try Self.kind(in: members)
    guard ItemID.isValid(id), parent.map(ItemID.isValid) ?? true, SyncPath(name)?.parts.count == 1, kind.isValid else {
      throw DecodingError.dataCorruptedError(forKey: .id, in: members, debugDescription: "not an item of a folder")
    }
  }

  private static func kind(in members: KeyedDecodingContainer<CodingKeys>) throws -> Kind {
    switch try members.decode(String.self, forKey: .type) {
    case "folder": .folder
    case "file":
      .file(
        Version(
          etag: try members.decode(String.self, forKey: .etag), sha1: try members.decode(String.self, forKey: .sha1),
          size: try members.decode(Int.self, forKey: .size),
          id: try members.decode(Reference.self, forKey: .fileVersion).id))
    case let other: .other(other)
    }
  }
}

extension Item.Kind {
  /// True if its parts can be in headers, addresses and lines of a record.
  fileprivate var isValid: Bool {
    switch self {
    case .folder: true
    case .other(let type): type.isPrintableWord
    case .file(let version):
      version.etag.isPrintableWord && version.sha1.utf8.count == 40 && version.sha1.isPrintableWord && version.size >= 0
        && ItemID.isValid(version.id)
    }
  }
}

extension String {
  /// True for printable ASCII without spaces, and not too much of it.
  var isPrintableWord: Bool { (1...4_096).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension Revision {
  /// The etag and the SHA-1 in a revision; nil if it cannot come from Box.
  var boxVersion: (etag: String, sha1: String)? {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard parts.count == 2, parts[1].utf8.count == 40, String(parts[0]).isPrintableWord else {
      return nil
    }
    return (String(parts[0]), String(parts[1]))
  }
}
