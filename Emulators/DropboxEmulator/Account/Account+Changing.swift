internal import SettingsRegistry

/// The argument of `delete_v2`.
struct DeleteArgument: Decodable {
  var path: String
  var parentRev: String?
}

/// The argument of `move_v2`.
struct MoveArgument: Decodable {
  var fromPath: String
  var toPath: String
  var autorename: Bool?
}

/// The argument of `move_batch_v2`.
struct MoveBatchArgument: Decodable {
  var entries: [MoveArgument]
  var autorename: Bool?
}

/// The argument of `create_folder_v2`.
struct FolderArgument: Decodable {
  var path: String
  var autorename: Bool?
}

extension Account {
  mutating func delete(_ argument: DeleteArgument) throws -> JSON {
    try Names.check(argument.path)
    guard let item = item(at: argument.path) else { throw APIError("path_lookup", "not_found") }
    if let rev = argument.parentRev, item.rev != rev { throw APIError("path_write", "conflict", item.tag) }
    let metadata = metadata(of: item)
    remove(item.key)
    return ["metadata": metadata]
  }

  mutating func createFolder(_ argument: FolderArgument) throws -> JSON {
    try Names.check(argument.path)
    var path = Names.composed(argument.path)
    if let objection = Names.objection(to: path) { throw APIError("path", objection) }
    if let there = items[Names.key(path)] {
      guard argument.autorename == true else { throw APIError("path", "conflict", there.tag) }
      path = freeName(path) { " (\($0))" }
    }
    guard let display = makeParents(of: path) else { throw APIError("path", "conflict", "file_ancestor") }
    return ["metadata": metadata(of: makeFolder(display), isTagged: false)]
  }

  mutating func move(_ argument: MoveArgument) throws -> JSON {
    try Names.check(argument.fromPath)
    try Names.check(argument.toPath)
    var target = Names.composed(argument.toPath)
    guard let item = item(at: argument.fromPath) else { throw APIError("from_lookup", "not_found") }
    if let objection = Names.objection(to: target) { throw APIError("to", objection) }
    let key = Names.key(target)
    if key == item.key {
      guard ignoresCaseRenames else { throw APIError("to", "conflict", item.tag) }
      return ["metadata": metadata(of: item)]
    }
    guard !key.hasPrefix(item.key + "/") else { throw APIError("cant_move_folder_into_itself") }
    if let there = items[key] {
      guard argument.autorename == true else { throw APIError("to", "conflict", there.tag) }
      target = freeName(target) { " (\($0))" }
    }
    guard let display = makeParents(of: target) else { throw APIError("to", "conflict", "file_ancestor") }
    let moved = items.filter { $0.key == item.key || $0.key.hasPrefix(item.key + "/") }
    remove(item.key)
    for (_, var inner) in moved.sorted(by: { $0.key < $1.key }) {
      inner.display = display + inner.display.dropFirst(item.display.count)
      items[inner.key] = inner
      history[inner.key, default: []].append(.item(inner))
      record(inner.key)
    }
    return ["metadata": items[Names.key(display)].map { metadata(of: $0) } ?? .null]
  }

  /// The versions of a file, the newest first.
  func revisions(of path: String, limit: Int) throws -> JSON {
    try Names.check(path)
    guard let past = history[Names.key(path)], let last = past.last else { throw APIError("path", "not_found") }
    let entries = past.reversed().compactMap { past -> JSON? in
      if case .item(let item) = past, item.isFile { metadata(of: item, isTagged: false) } else { nil }
    }
    var answer: JSON = [
      "is_deleted": false, "entries": .array(Array(entries.prefix(limit))), "has_more": .boolean(entries.count > limit),
    ]
    if case .deleted(_, let time) = last {
      answer["is_deleted"] = true
      answer["server_deleted"] = .string(time)
    }
    return answer
  }
}
