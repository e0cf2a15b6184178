internal import CurlHTTP
internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// GitHub's requests that read a repository.
struct GitHubAPI: RepositoryAPI {
  let service: Service

  func state(
    of branch: String, since known: TaggedTip?
  ) async throws(SyncError) -> (Branch.State, TaggedTip?) {
    let path = "/git/ref/\(Branch.path(of: branch))"
    let answer = try await service.ask(
      "GET", path, headers: known.map { [HTTPHeader("If-None-Match", $0.tag)] } ?? [])
    switch answer.status {
    case 304:
      guard let known else { throw service.nonsense("GET", path) }
      return (.at(known.commit), known)
    case 404: return (.missing, nil)
    case 409: return (.empty, nil)
    default:
      let reply: ReferenceReply = try service.value(in: answer, "GET", path)
      guard reply.ref == "refs/heads/\(branch)", reply.object.type == "commit" else {
        throw service.nonsense("GET", path)
      }
      let commit = reply.object.sha
      return (.at(commit), answer.header("ETag").map { TaggedTip(tag: $0, commit: commit) })
    }
  }

  func create(_ branch: String, from other: String) async throws(SyncError) -> Outcome {
    let start: ReferenceReply = try await service.ask("GET", "/git/ref/\(Branch.path(of: other))")
    let wish: JSON = ["ref": .string("refs/heads/\(branch)"), "sha": .string("\(start.object.sha)")]
    return try await service.change("POST", "/git/refs", wish)
  }

  func tree(of commit: ObjectID) async throws(SyncError) -> ObjectID {
    let path = "/git/commits/\(commit)"
    let reply: CommitReply = try await service.ask("GET", path)
    guard reply.sha == commit else { throw service.nonsense("GET", path) }
    return reply.tree.sha
  }

  func commit(_ digits: String) async throws(SyncError) -> ObjectID? {
    let path = "/commits/\(digits)"
    let answer = try await service.ask("GET", path)
    guard answer.status != 404, answer.status != 422 else { return nil }
    let reply: ObjectReply = try service.value(in: answer, "GET", path)
    guard reply.sha.description.hasPrefix(digits) else { throw service.nonsense("GET", path) }
    return reply.sha
  }

  func comparison(_ old: ObjectID, _ new: ObjectID) async throws(SyncError) -> Relation? {
    let path = "/compare/\(old)...\(new)"
    let answer = try await service.ask("GET", path)
    guard answer.status != 404 else { return nil }
    let reply: ComparisonReply = try service.value(in: answer, "GET", path)
    return reply.status
  }

  func listing(of tree: ObjectID, isRecursive: Bool, atMost limit: Int) async throws(SyncError) -> TreeReply {
    let path = "/git/trees/\(tree)\(isRecursive ? "?recursive=1" : "")"
    let reply: TreeReply = try await service.ask("GET", path)
    guard reply.sha == tree else { throw service.nonsense("GET", path) }
    return reply
  }

  func content(of file: ObjectID) async throws(SyncError) -> Arrival {
    let path = "/git/blobs/\(file)"
    switch try await service.download(path) {
    case .good(let response): return .stream(response)
    case .bad(let answer): throw service.failure(answer, "GET", path)
    }
  }
}
