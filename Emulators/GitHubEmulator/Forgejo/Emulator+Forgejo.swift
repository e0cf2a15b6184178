internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// The routes of Forgejo and Gitea. They have none that write single objects.
extension Emulator {
  private struct BranchWish: Decodable {
    var newBranchName: String
    var oldRefName: String?
    var oldBranchName: String?
  }

  func carryOutForgejo(_ request: Request, _ repository: Repository) throws -> Reply {
    switch (request.call.method, request.path) {
    case ("GET", ""): return Reply(json: try forgejoDescription(of: repository, request))
    case ("POST", "/contents"): return try changeFiles(request, repository)
    case ("POST", "/branches"): return try createBranch(request, repository)
    case ("GET", "/commits"): return try commits(request, repository)
    case ("GET", _): return try readForgejo(request, repository)
    // This address exists, for reading.
    case (_, _) where request.path.hasPrefix("/git/refs"): throw APIError(405, "Method Not Allowed")
    default: throw Self.notFound
    }
  }

  private static let notFound = APIError(404, "The target couldn't be found.")

  private func readForgejo(_ request: Request, _ repository: Repository) throws -> Reply {
    if let name = request.rest(after: "/branches/") {
      return Reply(json: try description(ofBranch: name, request, repository))
    }
    if let name = request.rest(after: "/git/refs/") { return try references(startingWith: name, request, repository) }
    if let name = request.rest(after: "/git/commits/") {
      return Reply(json: try forgejoDescription(ofCommit: try resolved(name, repository), request, repository))
    }
    if let name = request.rest(after: "/git/trees/") { return try page(of: name, request, repository) }
    if let id = request.rest(after: "/git/blobs/") {
      let bytes = try repository.bytes(id, "blob")
      return Reply(
        json: [
          "sha": .string(id), "size": .integer(bytes.count), "encoding": "base64",
          "url": .string("\(request.url(repository))/git/blobs/\(id)"),
          "content": .string(bytes.count > Self.largestBlob ? "" : Data(bytes).base64EncodedString()),
        ])
    }
    throw Self.notFound
  }

  /// The default of the setting `DEFAULT_MAX_BLOB_SIZE`.
  private static let largestBlob = 10_485_760
  /// The default of the setting `DEFAULT_GIT_TREES_PER_PAGE`.
  private static let longestPage = 1_000

  private func forgejoDescription(of repository: Repository, _ request: Request) throws -> JSON {
    [
      "id": 1, "name": .string(String(repository.name.split(separator: "/").last ?? "")),
      "full_name": .string(repository.name), "url": .string(request.url(repository)),
      "owner": ["login": "owner", "id": 1], "private": true, "empty": .boolean(try repository.isEmpty()),
      "default_branch": .string(repository.defaultBranch), "archived": false, "object_format_name": "sha1",
      "size": 1, "permissions": ["admin": false, "push": true, "pull": true],
    ]
  }

  // MARK: Branches and references

  private func description(
    ofBranch name: String, _ request: Request, _ repository: Repository
  ) throws -> JSON {
    guard let tip = repository.tip("refs/heads/\(name)") else { throw Self.notFound }
    let commit = try repository.commit(tip)
    let isProtected = repository.protected.contains(name)
    return [
      "name": .string(name), "protected": .boolean(isProtected), "required_approvals": 0,
      "enable_status_check": false, "status_check_contexts": [], "user_can_push": .boolean(!isProtected),
      "user_can_merge": .boolean(!isProtected), "effective_branch_protection_name": .string(isProtected ? name : ""),
      "commit": [
        "id": .string(tip), "message": .string(commit.message), "timestamp": .string(commit.committer.date),
        "url": .string("\(request.url(repository))/commit/\(tip)"),
      ],
    ]
  }

  /// An array, although one reference has exactly this name.
  private func references(
    startingWith name: String, _ request: Request, _ repository: Repository
  ) throws -> Reply {
    let lines = try repository.git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/\(name)*"])
    let items = String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line -> JSON in
      let words = line.split(separator: " ").map(String.init)
      return ["ref": .string(words[0]), "object": ["type": "commit", "sha": .string(words[1])]]
    }
    guard !items.isEmpty else { throw Self.notFound }
    return Reply(json: .array(items))
  }

  private func createBranch(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: BranchWish = try request.body()
    let start = wish.oldRefName ?? wish.oldBranchName ?? repository.defaultBranch
    let commit = try resolved(start, repository)
    guard repository.move("refs/heads/\(wish.newBranchName)", from: nil, to: commit) else {
      throw APIError(409, "The branch already exists.")
    }
    return Reply(status: 201, json: try description(ofBranch: wish.newBranchName, request, repository))
  }

  // MARK: Commits

  /// The commit of a branch, or with these first digits.
  private func resolved(_ name: String, _ repository: Repository) throws -> String {
    if let tip = repository.tip("refs/heads/\(name)") { return tip }
    guard name.allSatisfy(\.isHexDigit),
      let output = try? repository.git(["rev-parse", "--verify", "--quiet", "\(name)^{commit}"])
    else { throw Self.notFound }
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func commits(_ request: Request, _ repository: Repository) throws -> Reply {
    if try repository.isEmpty() { throw APIError(409, "Git Repository is empty.") }
    let query = request.call.query
    let start = try resolved(query["sha"] ?? repository.defaultBranch, repository)
    let (limit, page) = (query["limit"].flatMap { Int($0) } ?? 30, query["page"].flatMap { Int($0) } ?? 1)
    let exclusion = query["not"].map { ["^\($0)"] } ?? []
    let output = try repository.git(["rev-list", start] + exclusion)
    let ids = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    let items = try ids.dropFirst((max(page, 1) - 1) * limit).prefix(limit).map {
      try forgejoDescription(ofCommit: $0, request, repository)
    }
    return Reply(json: .array(items))
  }

  func forgejoDescription(ofCommit id: String, _ request: Request, _ repository: Repository) throws -> JSON {
    let commit = try repository.commit(id)
    let url = request.url(repository)
    let people = [commit.author, commit.committer].map { person -> JSON in
      ["name": .string(person.name), "email": .string(person.email), "date": .string(person.date)]
    }
    return [
      "sha": .string(id), "url": .string("\(url)/git/commits/\(id)"), "created": .string(commit.committer.date),
      "html_url": .string("\(url)/commit/\(id)"), "author": .null, "committer": .null, "files": .null, "stats": .null,
      "parents": .array(
        commit.parents.map { ["sha": .string($0), "url": .string("\(url)/git/commits/\($0)")] }),
      "commit": [
        "message": .string(commit.message), "author": people[0], "committer": people[1],
        "url": .string("\(url)/git/commits/\(id)"),
        "tree": ["sha": .string(commit.tree), "url": .string("\(url)/git/trees/\(commit.tree)")],
      ],
    ]
  }

  // MARK: Trees

  /// A page of a listing.
  private func page(of name: String, _ request: Request, _ repository: Repository) throws -> Reply {
    let query = request.call.query
    let tree = try root(name, repository)
    let all = try listing(of: tree, isRecursive: ["true", "1"].contains(query["recursive"]), repository)
    let longest = longestListing ?? Self.longestPage
    let wanted = query["per_page"].flatMap { Int($0) } ?? 0
    let (size, page) = (wanted > 0 ? min(wanted, longest) : longest, max(1, query["page"].flatMap { Int($0) } ?? 1))
    let rest = all.dropFirst((page - 1) * size)
    let items = try rest.prefix(size).map { path, entry in
      var item = try description(of: path, entry, request.url(repository), repository)
      // Folders and submodules have a size, too.
      if entry.type != "blob" { item["size"] = 0 }
      return item
    }
    return Reply(
      json: [
        "sha": .string(tree), "url": .string("\(request.url(repository))/git/trees/\(tree)"),
        "tree": items.isEmpty ? .null : .array(items), "truncated": .boolean(rest.count > size),
        "page": .integer(page), "total_count": .integer(all.count),
      ])
  }
}
