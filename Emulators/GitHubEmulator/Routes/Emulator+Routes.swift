internal import EmulatorWire
internal import SettingsRegistry

/// The routes of the API.
extension Emulator {
  func carryOut(_ request: Request) throws -> Reply {
    if request.path == "/user" { return Reply(json: ["login": "owner", "id": 1, "type": "User"]) }
    guard let name = request.repository else { throw APIError(404, "Not Found") }
    if let new = renamed[name] {
      let target = "\(request.address)/repos/\(new)\(request.path)"
      return Reply(status: kind.redirect, headers: [("Location", target)], body: [])
    }
    let repository = try repository(name)
    guard kind == .github else { return try carryOutForgejo(request, repository) }
    if request.path.isEmpty { return Reply(json: try description(of: repository, request)) }
    if request.path.hasPrefix("/git/"), try repository.isEmpty() { throw APIError(409, "Git Repository is empty.") }
    return try references(request, repository) ?? objects(request, repository) ?? files(request, repository)
  }

  private func description(of repository: Repository, _ request: Request) throws -> JSON {
    [
      "id": 1, "name": .string(String(repository.name.split(separator: "/").last ?? "")),
      "full_name": .string(repository.name), "url": .string(request.url(repository)),
      "owner": ["login": "owner", "id": 1, "type": "User"], "private": true,
      "default_branch": .string(repository.defaultBranch), "archived": false,
      "size": .integer(try repository.isEmpty() ? 0 : 1),
      "permissions": ["admin": false, "push": true, "pull": true],
    ]
  }
}

extension Request {
  func url(_ repository: Repository) -> String { "\(address)/repos/\(repository.name)" }
}
