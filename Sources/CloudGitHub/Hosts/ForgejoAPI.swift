internal import GitObjects
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The requests of Forgejo and Gitea that read a repository (their API, version 1, as Gitea 1.20 and later answer).
struct ForgejoAPI: RepositoryAPI {
  let service: Service

  /// Statistics, signatures and names of files cost the server time.
  private static let brief = "stat=false&verification=false&files=false"

  func state(
    of branch: String, since known: TaggedTip?
  ) async throws(SyncError) -> (Branch.State, TaggedTip?) {
    let path = "/branches/\(Branch.encoded(branch))"
    let answer = try await service.ask("GET", path)
    guard answer.status != 404 else { return (.missing, nil) }
    let reply: ForgejoReply.Branch = try service.value(in: answer, "GET", path)
    guard reply.name == branch else { throw service.nonsense("GET", path) }
    return (.at(reply.commit.id), nil)
  }

  func create(_ branch: String, from other: String) async throws(SyncError) -> Outcome {
    let wish: JSON = ["new_branch_name": .string(branch), "old_ref_name": .string(other)]
    return try await service.change("POST", "/branches", wish)
  }

  func tree(of commit: ObjectID) async throws(SyncError) -> ObjectID {
    let path = "/git/commits/\(commit)?\(Self.brief)"
    let reply: ForgejoReply.Commit = try await service.ask("GET", path)
    guard reply.sha == commit else { throw service.nonsense("GET", path) }
    return reply.commit.tree.sha
  }

  func commit(_ digits: String) async throws(SyncError) -> ObjectID? {
    let path = "/git/commits/\(digits)?\(Self.brief)"
    let answer = try await service.ask("GET", path)
    guard answer.status != 404, answer.status != 422 else { return nil }
    let reply: ForgejoReply.Commit = try service.value(in: answer, "GET", path)
    guard reply.sha.description.hasPrefix(digits) else { throw service.nonsense("GET", path) }
    return reply.sha
  }

  /// The comparison of the API does not tell which commit is the newer one, so the commits of each that the other lacks are asked
  /// for.
  func comparison(_ old: ObjectID, _ new: ObjectID) async throws(SyncError) -> Relation? {
    guard old != new else { return .identical }
    guard try await commit("\(old)") != nil else { return nil }
    if try await contains(new, old) { return .ahead }
    return try await contains(old, new) ? .behind : .diverged
  }

  /// True if `commit` descends from `other`.
  private func contains(_ commit: ObjectID, _ other: ObjectID) async throws(SyncError) -> Bool {
    let missing: [ObjectReply] = try await service.ask(
      "GET", "/commits?sha=\(other)&not=\(commit)&page=1&limit=1&\(Self.brief)")
    return missing.isEmpty
  }

  /// Receives all pages of a listing; their size is the server's choice.
  func listing(of tree: ObjectID, isRecursive: Bool, atMost limit: Int) async throws(SyncError) -> TreeReply {
    var whole = TreeReply(sha: tree, tree: [], truncated: true)
    var (page, pages) = (0, PageLimit(limit, address: service.place.address))
    repeat {
      page += 1
      let path = "/git/trees/\(tree)?recursive=\(isRecursive)&page=\(page)"
      let reply: ForgejoReply.Tree = try await service.ask("GET", path)
      let entries = reply.tree ?? []
      // A server or cache that ignores the number would send the first page forever.
      guard reply.sha == tree, reply.page == page, !reply.truncated || !entries.isEmpty else {
        throw service.nonsense("GET", path)
      }
      try pages.add(entries.count, next: reply.truncated ? "\(page + 1)" : nil)
      whole.tree += entries
      whole.truncated = reply.truncated
    } while whole.truncated
    return whole
  }

  func content(of file: ObjectID) async throws(SyncError) -> Arrival {
    let path = "/git/blobs/\(file)"
    let reply: ForgejoReply.Blob = try await service.ask("GET", path)
    guard reply.sha == file, reply.size >= 0 else { throw service.nonsense("GET", path) }
    guard let text = reply.content, !text.isEmpty || reply.size == 0 else {
      throw SyncError(
        .pathFailed,
        "\(service.place.host) does not return a file of \(reply.size.counted("byte")); its administrator may raise "
          + "DEFAULT_MAX_BLOB_SIZE")
    }
    guard let bytes = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw service.nonsense("GET", path)
    }
    return .whole(Array(bytes))
  }
}
