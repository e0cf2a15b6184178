internal import SettingsRegistry

/// A listed file or folder.
struct Item {
  enum Kind: Equatable {
    case folder
    case file(rev: String)
  }

  var kind: Kind
  /// The path as displayed.
  var display: String
  var id: String
  /// Times in the format of the service; only files have them.
  var clientModified = ""
  var serverModified = ""

  var key: String { Names.key(display) }
  var isFile: Bool { kind != .folder }
  var rev: String? { if case .file(let rev) = kind { rev } else { nil } }
  /// The tag of the kind.
  var tag: String { isFile ? "file" : "folder" }
}

/// One version of a file; it is never removed.
struct StoredVersion {
  var bytes: [UInt8]
  var hash: String
  var item: Item
}

/// A former state of a path.
enum Past {
  case item(Item)
  case deleted(display: String, at: String)
}

extension Account {
  /// The service's description of an item.
  func metadata(of item: Item, isTagged: Bool = true) -> JSON {
    var json = JSON.object(isTagged ? [JSON.Member(".tag", .string(item.tag))] : [])
    json["name"] = .string(Names.name(of: item.display))
    json["path_lower"] = .string(item.key)
    json["path_display"] = .string(item.display)
    json["id"] = .string(item.id)
    if let rev = item.rev, let version = versions[rev] {
      json["client_modified"] = .string(item.clientModified)
      json["server_modified"] = .string(item.serverModified)
      json["rev"] = .string(rev)
      json["size"] = .integer(version.bytes.count)
      json["is_downloadable"] = .boolean(!undownloadable.contains(item.key))
      json["content_hash"] = .string(version.hash)
    }
    return json
  }

  /// The service's description of a removed item.
  func deletedMetadata(_ key: String, display: String) -> JSON {
    [
      ".tag": "deleted", "name": .string(Names.name(of: display)), "path_lower": .string(key),
      "path_display": .string(display),
    ]
  }
}
