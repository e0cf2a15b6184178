internal import SettingsRegistry

/// A file or folder. Its id never changes.
struct Item {
  enum Kind {
    case folder
    case file(FileVersion)
    case webLink

    var type: String {
      switch self {
      case .folder: "folder"
      case .file: "file"
      case .webLink: "web_link"
      }
    }
  }

  let id: String
  var kind: Kind
  var name: String
  /// The id of its folder; nil for the root.
  var parent: String?
  /// The number of changes, which is the etag.
  var changes = 0
  /// Times in the format of the service.
  var modified: String
  var contentModified: String
  /// The former versions of a file, the newest first.
  var past: [FileVersion] = []

  /// The root has none.
  var etag: String? { parent == nil ? nil : String(changes) }
  var isFolder: Bool { if case .folder = kind { true } else { false } }
  var version: FileVersion? { if case .file(let version) = kind { version } else { nil } }
}

/// One version of a file.
struct FileVersion {
  var id: String
  var bytes: [UInt8]
  var hash: String

  init(id: String, _ bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
    hash = ContentHash.hexadecimal(bytes)
  }
}

extension Account {
  /// The service's short description of an item.
  func summary(of item: Item) -> JSON {
    var json: JSON = [
      "type": .string(item.kind.type), "id": .string(item.id), "name": .string(item.name),
      "etag": item.etag.map(JSON.string) ?? .null, "sequence_id": item.etag.map(JSON.string) ?? .null,
    ]
    if let version = item.version {
      json["sha1"] = .string(version.hash)
      json["file_version"] = description(of: version)
    }
    return json
  }

  /// The service's full description of an item.
  func description(of item: Item) -> JSON {
    var json = summary(of: item)
    json["parent"] = item.parent.flatMap { items[$0] }.map { summary(of: $0) } ?? .null
    json["item_status"] = "active"
    json["modified_at"] = .string(item.modified)
    json["content_modified_at"] = .string(item.contentModified)
    if let version = item.version { json["size"] = .integer(version.bytes.count) }
    return json
  }

  private func description(of version: FileVersion) -> JSON {
    ["type": "file_version", "id": .string(version.id), "sha1": .string(version.hash)]
  }

  /// The answer with the former versions of a file.
  func pastVersions(of item: Item) -> JSON {
    let entries = item.past.map { version -> JSON in
      var json = description(of: version)
      json.add(["name": .string(item.name), "size": .integer(version.bytes.count)])
      return json
    }
    return ["total_count": .integer(entries.count), "entries": .array(entries)]
  }
}
