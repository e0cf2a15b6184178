internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Blobs, trees and commits.
extension Emulator {
  private struct BlobWish: Decodable {
    var content: String
    var encoding: String?
  }

  private struct TreeWish: Decodable {
    struct Entry: Decodable {
      var path: String
      var mode: String
      var content: String?
      var sha: String?
    }

    var baseTree: String?
    var tree: [Entry]
  }

  private struct CommitWish: Decodable {
    var message: String
    var tree: String
    var parents: [String]?
    var author: Repository.Person?
    var committer: Repository.Person?
  }

  /// The answer of a route about objects; nil for another route.
  func objects(_ request: Request, _ repository: Repository) throws -> Reply? {
    switch (request.call.method, request.path) {
    case ("POST", "/git/blobs"): return try createBlob(request, repository)
    case ("POST", "/git/trees"): return try createTree(request, repository)
    case ("POST", "/git/commits"): return try createCommit(request, repository)
    case ("GET", _):
      if let id = request.rest(after: "/git/blobs/") { return try blob(id, request, repository) }
      if let name = request.rest(after: "/git/trees/") {
        let tree = try root(name, repository)
        return Reply(
          json: try description(of: tree, isRecursive: request.call.query["recursive"] != nil, request, repository))
      }
      return try request.rest(after: "/git/commits/").map {
        Reply(json: try description(ofCommit: $0, request, repository))
      }
    default: return nil
    }
  }

  // MARK: Blobs

  private func createBlob(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: BlobWish = try request.body()
    var bytes = Array(wish.content.utf8)
    if wish.encoding == "base64" {
      guard let data = Data(base64Encoded: wish.content) else { throw APIError(422, "content is not valid Base64") }
      bytes = Array(data)
    }
    let id = try repository.put("blob", bytes)
    return Reply(
      status: 201, json: ["sha": .string(id), "url": .string("\(request.url(repository))/git/blobs/\(id)")])
  }

  private func blob(_ id: String, _ request: Request, _ repository: Repository) throws -> Reply {
    let bytes = try repository.bytes(id, "blob")
    if request.call.headers["accept"]?.contains("raw") == true {
      return Reply(status: 200, headers: [("Content-Type", "application/vnd.github.raw+json")], body: bytes)
    }
    return Reply(
      json: [
        "sha": .string(id), "node_id": "x", "size": .integer(bytes.count), "encoding": "base64",
        "url": .string("\(request.url(repository))/git/blobs/\(id)"),
        "content": .string(Data(bytes).base64EncodedString(options: .lineLength76Characters)),
      ])
  }

  // MARK: Trees

  /// The tree of a branch, a commit or a tree.
  func root(_ name: String, _ repository: Repository) throws -> String {
    let id = repository.tip("refs/heads/\(name)") ?? name
    switch try repository.object(id)?.kind {
    case "commit": return try repository.commit(id).tree
    case "tree": return id
    default: throw APIError(404, "Not Found")
    }
  }

  private func createTree(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: TreeWish = try request.body()
    let changes = try wish.tree.map { entry in
      try Repository.check(entry.path)
      return (path: entry.path, entry: try self.entry(entry, repository))
    }
    let tree = try repository.edited(try wish.baseTree.map { try root($0, repository) }, changes)
    return Reply(status: 201, json: try description(of: tree, isRecursive: false, request, repository))
  }

  private func entry(_ wish: TreeWish.Entry, _ repository: Repository) throws -> Repository.Entry? {
    if let content = wish.content {
      return Repository.Entry(mode: wish.mode, id: try repository.put("blob", Array(content.utf8)))
    }
    guard let id = wish.sha else { return nil }
    guard try wish.mode == "160000" || repository.object(id) != nil else {
      throw APIError(422, "tree.sha \(id) is not a valid blob")
    }
    return Repository.Entry(mode: wish.mode, id: id)
  }

  private func description(
    of tree: String, isRecursive: Bool, _ request: Request, _ repository: Repository
  ) throws -> JSON {
    let all = try listing(of: tree, isRecursive: isRecursive, repository)
    let limit = isRecursive ? longestListing ?? .max : .max
    let url = request.url(repository)
    let items = try all.prefix(limit).map { try description(of: $0.path, $0.entry, url, repository) }
    return [
      "sha": .string(tree), "url": .string("\(url)/git/trees/\(tree)"), "tree": .array(items),
      "truncated": .boolean(all.count > limit),
    ]
  }

  /// The entries of a tree, or everything below it.
  func listing(
    of tree: String, isRecursive: Bool, _ repository: Repository
  ) throws -> [(path: String, entry: Repository.Entry)] {
    if isRecursive { return try repository.flat(tree) }
    return try Repository.sorted(repository.entries(tree)).map { (String(decoding: $0.name, as: UTF8.self), $0.entry) }
  }

  /// An entry of a listing.
  func description(
    of path: String, _ entry: Repository.Entry, _ url: String, _ repository: Repository
  ) throws -> JSON {
    var item: JSON = [
      "path": .string(path), "mode": .string(entry.mode), "type": .string(entry.type), "sha": .string(entry.id),
    ]
    if entry.type == "blob" { item["size"] = .integer(try repository.bytes(entry.id, "blob").count) }
    if entry.type != "commit" { item["url"] = .string("\(url)/git/\(entry.type)s/\(entry.id)") }
    return item
  }

  // MARK: Commits

  private func createCommit(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: CommitWish = try request.body()
    guard try repository.object(wish.tree)?.kind == "tree" else { throw APIError(422, "Tree SHA does not exist") }
    for parent in wish.parents ?? [] where try repository.object(parent)?.kind != "commit" {
      throw APIError(422, "Parent SHA does not exist or is not a commit object")
    }
    let id = try repository.putCommit(
      wish.tree, wish.parents ?? [], wish.message, author: wish.author, committer: wish.committer)
    return Reply(status: 201, json: try description(ofCommit: id, request, repository))
  }

  func description(ofCommit id: String, _ request: Request, _ repository: Repository) throws -> JSON {
    let commit = try repository.commit(id)
    let url = request.url(repository)
    let people = [commit.author, commit.committer].map { person -> JSON in
      ["name": .string(person.name), "email": .string(person.email), "date": .string(person.date)]
    }
    let parents = commit.parents.map { parent -> JSON in
      [
        "sha": .string(parent), "url": .string("\(url)/git/commits/\(parent)"),
        "html_url": .string("\(url)/commit/\(parent)"),
      ]
    }
    return [
      "sha": .string(id), "node_id": "x", "url": .string("\(url)/git/commits/\(id)"),
      "html_url": .string("\(url)/commit/\(id)"), "author": people[0], "committer": people[1],
      "message": .string(commit.message), "parents": .array(parents),
      "tree": ["sha": .string(commit.tree), "url": .string("\(url)/git/trees/\(commit.tree)")],
      "verification": ["verified": false, "reason": "unsigned", "signature": .null, "payload": .null],
    ]
  }
}
