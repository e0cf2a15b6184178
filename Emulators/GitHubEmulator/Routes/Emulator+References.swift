internal import EmulatorWire
internal import SettingsRegistry

/// References, branches and comparisons.
extension Emulator {
  private struct Move: Decodable {
    var ref: String?
    var sha: String
    var force: Bool?
  }

  /// The answer of a route about references; nil for another route.
  func references(_ request: Request, _ repository: Repository) throws -> Reply? {
    let name = request.rest(after: "/git/refs/") ?? request.rest(after: "/git/ref/")
    switch (request.call.method, name) {
    case ("GET", let name?): return try reference("refs/\(name)", request, repository)
    case ("PATCH", let name?): return try move("refs/\(name)", request, repository)
    case ("DELETE", let name?):
      try repository.remove("refs/\(name)")
      return Reply(status: 204, headers: [], body: [])
    case ("POST", nil) where request.path == "/git/refs": return try create(request, repository)
    case ("GET", nil):
      if let branch = request.rest(after: "/branches/") { return try self.branch(branch, request, repository) }
      if let digits = request.rest(after: "/commits/") { return try commit(digits, request, repository) }
      return try request.rest(after: "/compare/").map { try comparison($0, repository) }
    default: return nil
    }
  }

  private func reference(_ name: String, _ request: Request, _ repository: Repository) throws -> Reply {
    guard var tip = repository.tip(name) else { throw APIError(404, "Not Found") }
    if lag > 0, let former = repository.former[name] {
      lag -= 1
      tip = former
    }
    let tag = "W/\"\(Repository.id("tag", Array("\(name) \(tip)".utf8)))\""
    if request.call.headers["if-none-match"] == tag { return Reply(status: 304, headers: [], body: []) }
    var reply = Reply(json: description(of: name, tip, request, repository))
    reply.headers.append(("ETag", tag))
    return reply
  }

  private func description(of name: String, _ tip: String, _ request: Request, _ repository: Repository) -> JSON {
    let url = request.url(repository)
    return [
      "ref": .string(name), "node_id": "x", "url": .string("\(url)/git/\(name)"),
      "object": ["type": "commit", "sha": .string(tip), "url": .string("\(url)/git/commits/\(tip)")],
    ]
  }

  private func create(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: Move = try request.body()
    guard try repository.object(wish.sha)?.kind == "commit" else { throw APIError(422, "Object does not exist") }
    guard let name = wish.ref, repository.move(name, from: nil, to: wish.sha) else {
      throw APIError(422, "Reference already exists")
    }
    return Reply(status: 201, json: description(of: name, wish.sha, request, repository))
  }

  private func move(_ name: String, _ request: Request, _ repository: Repository) throws -> Reply {
    let wish: Move = try request.body()
    guard let old = repository.tip(name) else { throw APIError(422, "Reference does not exist") }
    guard try repository.object(wish.sha)?.kind == "commit" else { throw APIError(422, "Object does not exist") }
    guard !repository.protected.contains(String(name.dropFirst("refs/heads/".count))) else {
      throw APIError(422, "Protected branch update failed for \(name).")
    }
    let isForward = try wish.force == true || repository.ancestors(wish.sha).contains(old)
    // A person who pushes with git may be faster.
    guard isForward, repository.move(name, from: old, to: wish.sha) else {
      throw APIError(422, "Update is not a fast forward")
    }
    return Reply(json: description(of: name, wish.sha, request, repository))
  }

  private func branch(_ name: String, _ request: Request, _ repository: Repository) throws -> Reply {
    guard let tip = repository.tip("refs/heads/\(name)") else { throw APIError(404, "Branch not found") }
    let isProtected = repository.protected.contains(name)
    return Reply(
      json: [
        "name": .string(name), "protected": .boolean(isProtected), "protection": ["enabled": .boolean(isProtected)],
        "commit": ["sha": .string(tip), "url": .string("\(request.url(repository))/commits/\(tip)")],
      ])
  }

  /// A commit by its first digits.
  private func commit(_ digits: String, _ request: Request, _ repository: Repository) throws -> Reply {
    let commits =
      try repository.tip("refs/heads/\(repository.defaultBranch)").map { try repository.ancestors($0) } ?? []
    guard let id = commits.first(where: { $0.hasPrefix(digits) }) else {
      throw APIError(422, "No commit found for SHA: \(digits)")
    }
    return Reply(json: try description(ofCommit: id, request, repository))
  }

  private func comparison(_ range: String, _ repository: Repository) throws -> Reply {
    guard let dots = range.firstRange(of: "...") else { throw APIError(404, "Not Found") }
    let new = try repository.ancestors(String(range[dots.upperBound...]))
    let old = try repository.ancestors(String(range[..<dots.lowerBound]))
    let (ahead, behind) = (new.subtracting(old).count, old.subtracting(new).count)
    let status =
      switch (ahead, behind) {
      case (0, 0): "identical"
      case (_, 0): "ahead"
      case (0, _): "behind"
      default: "diverged"
      }
    return Reply(
      json: [
        "status": .string(status), "ahead_by": .integer(ahead), "behind_by": .integer(behind),
        "total_commits": .integer(ahead), "files": [],
      ])
  }
}
