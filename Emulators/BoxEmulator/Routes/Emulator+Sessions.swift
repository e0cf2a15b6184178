internal import EmulatorWire
internal import SettingsRegistry

/// Uploads of large files in parts.
extension Emulator {
  private struct Start: Decodable {
    var fileSize: Int
    var fileName: String?
    var folderId: String?
  }

  private struct PartList: Decodable {
    struct Part: Decodable { var offset: Int }

    var parts: [Part]
  }

  func sessions(_ request: Request) throws -> Reply {
    if request.call.method == "POST", request.parts.last == "upload_sessions" { return try start(request) }
    guard let session = account.sessions[request.id] else { throw APIError(404, "not_found") }
    switch (request.call.method, request.parts.last) {
    case ("POST", "commit"): return try commit(session, request)
    case ("GET", "parts"): return Reply(json: session.partList)
    case ("GET", _): return Reply(json: session.description(at: request.address))
    case ("PUT", _): return try add(request)
    case ("DELETE", _):
      account.sessions[session.id] = nil
      return .done
    default: throw APIError(405, "method_not_allowed")
    }
  }

  private func start(_ request: Request) throws -> Reply {
    let wish: Start = try request.body()
    guard wish.fileSize >= UploadSession.smallest else { throw APIError(400, "file_size_too_small") }
    try account.checkRoom(for: wish.fileSize)
    let target: UploadSession.Target
    if request.id.isEmpty {
      let (name, folder) = (wish.fileName ?? "", wish.folderId ?? "")
      try Names.check(name)
      _ = try account.folder(folder)
      try account.checkIsFree(name, in: folder)
      target = .new(name: name, folder: folder)
    } else {
      target = .version(of: try account.file(request.id).id)
    }
    let session = UploadSession(target, size: wish.fileSize)
    account.sessions[session.id] = session
    return Reply(status: 201, json: session.description(at: request.address))
  }

  private func add(_ request: Request) throws -> Reply {
    guard request.call.headers["digest"] == ContentHash.header(request.call.body) else {
      throw APIError(400, "bad_digest")
    }
    let range = request.call.headers["content-range"] ?? ""
    guard let match = try /^bytes (\d+)-/.firstMatch(in: range), let offset = Int(match.1) else {
      throw APIError(400, "bad_request")
    }
    let part = try account.sessions[request.id]?.add(request.call.body, at: offset) ?? .null
    return Reply(json: ["part": part])
  }

  private func commit(_ session: UploadSession, _ request: Request) throws -> Reply {
    guard delayedCommits == 0 else {
      delayedCommits -= 1
      return Reply(status: 202, headers: [("Retry-After", "1")], body: [])
    }
    let bytes = try session.content(of: try request.body(PartList.self).parts.map(\.offset))
    guard request.call.headers["digest"] == ContentHash.header(bytes) else { throw APIError(400, "bad_digest") }
    let file: Item
    switch session.target {
    case .new(let name, let folder): file = try account.createFile(name, in: folder, bytes, modified: nil)
    case .version(let id):
      let old = try account.file(id)
      try request.checkMatch(old)
      file = try account.replace(old, by: bytes, modified: nil)
    }
    account.sessions[session.id] = nil
    return uploaded(file)
  }
}
