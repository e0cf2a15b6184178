internal import EmulatorWire
internal import SettingsRegistry

/// The routes of the API.
extension Emulator {
  func carryOut(_ request: Request) throws -> Reply {
    switch request.parts.first {
    case "users": return Reply(json: Identity.description(of: account))
    case "events": return try events(request)
    case "folders": return try folders(request)
    case "files" where request.parts.contains("upload_sessions"): return try sessions(request)
    case "files": return try files(request)
    default: throw APIError(404, "not_found")
    }
  }

  private func events(_ request: Request) throws -> Reply {
    guard request.call.method == "OPTIONS" else {
      let position = request.query("stream_position") ?? "0"
      return Reply(
        json: try account.events.page(after: position, limit: request.query("limit").flatMap { Int($0) } ?? 100))
    }
    let url = "\(request.address)/subscribe?channel=1&stream_type=changes"
    return Reply(
      json: [
        "chunk_size": 1,
        "entries": [
          // As the real service: numbers and texts.
          [
            "type": "realtime_server", "url": .string(url), "ttl": "10", "max_retries": "10", "retry_timeout": 610,
          ]
        ],
      ])
  }

  // MARK: Folders

  private struct NewFolder: Decodable {
    var name: String
    var parent: Parent
  }

  struct Parent: Decodable { var id: String }

  private func folders(_ request: Request) throws -> Reply {
    switch (request.call.method, request.parts.count) {
    case ("POST", 1):
      let wish: NewFolder = try request.body()
      let folder = try account.createFolder(wish.name, in: wish.parent.id)
      return Reply(status: 201, json: account.description(of: folder))
    case ("GET", 2): return Reply(json: account.description(of: try account.folder(request.id)))
    case ("GET", 3):
      let limit = request.query("limit").flatMap { Int($0) } ?? 100
      return Reply(json: try account.page(of: request.id, after: request.query("marker"), limit: min(limit, 1_000)))
    case ("DELETE", 2):
      try request.checkMatch(try account.folder(request.id))
      let isRecursive = request.query("recursive")?.lowercased() == "true"
      try account.removeFolder(request.id, isRecursive: isRecursive)
      return .done
    default: throw APIError(405, "method_not_allowed")
    }
  }

  // MARK: Files

  private struct Update: Decodable {
    var name: String?
    var parent: Parent?
  }

  private func files(_ request: Request) throws -> Reply {
    if request.parts.last == "content" { return try contents(request) }
    let file = try account.file(request.id)
    switch request.call.method {
    case "GET" where request.parts.last == "versions": return Reply(json: account.pastVersions(of: file))
    case "GET":
      if request.call.headers["if-none-match"] == file.etag { return Reply(status: 304, headers: [], body: []) }
      return Reply(json: account.description(of: file))
    case "DELETE":
      try request.checkMatch(file)
      account.trash(file)
      return .done
    case "PUT":
      let wish: Update = try request.body()
      let folder = wish.parent?.id ?? file.parent ?? ""
      // Box: the header does not guard a move.
      if folder == file.parent { try request.checkMatch(file) }
      return Reply(json: account.description(of: try account.move(file, to: wish.name ?? file.name, in: folder)))
    default: throw APIError(405, "method_not_allowed")
    }
  }
}

extension Reply {
  /// An answer without a content.
  static var done: Reply { Reply(status: 204, headers: [], body: []) }
}
