internal import SettingsRegistry

/// A file or folder as it is listed.
struct Item {
  enum Kind: Equatable {
    case folder
    case file(rev: String)
  }

  var kind: Kind
  /// The path as people see it.
  var display: String
  var id: String
  /// Times in the form of the service; of files only.
  var clientModified = ""
  var serverModified = ""

  var key: String { Names.key(display) }
  var isFile: Bool { kind != .folder }
  var rev: String? { if case .file(let rev) = kind { rev } else { nil } }
  /// The tag of its kind.
  var tag: String { isFile ? "file" : "folder" }
}

/// One version of a file, kept for ever.
struct StoredVersion {
  var bytes: [UInt8]
  var hash: String
  var item: Item
}

/// What a path was at some time.
enum Past {
  case item(Item)
  case deleted(display: String, at: String)
}

extension Account {
  /// What the service says of an item.
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

  /// What the service says of an item that is gone.
  func deletedMetadata(_ key: String, display: String) -> JSON {
    [
      ".tag": "deleted", "name": .string(Names.name(of: display)), "path_lower": .string(key),
      "path_display": .string(display),
    ]
  }
}
