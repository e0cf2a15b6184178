internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// The request of Forgejo and Gitea that changes several files with one commit, or none of them.
extension Emulator {
  private struct FilesWish: Decodable {
    struct File: Decodable {
      enum Operation: String, Decodable { case create, update, delete }

      var operation: Operation
      var path: String
      var fromPath: String?
      var sha: String?
      var content: String?

      var source: String { fromPath ?? path }
    }

    var branch: String?
    var message: String?
    var author: Repository.Person?
    var committer: Repository.Person?
    var files: [File]
  }

  /// The longest path, in characters.
  private static let longestPath = 500

  func changeFiles(_ request: Request, _ repository: Repository) throws -> Reply {
    let wish: FilesWish = try request.body()
    let branch = wish.branch ?? repository.defaultBranch
    guard !repository.protected.contains(branch) else {
      throw APIError(403, "branch is protected [name: \(branch)]: user should have a permission to write to it")
    }
    let tip = repository.tip("refs/heads/\(branch)")
    if try tip == nil && !repository.isEmpty() { throw APIError(404, "branch does not exist [name: \(branch)]") }
    let root = try tip.map { try repository.commit($0).tree }
    let present = try Dictionary(
      uniqueKeysWithValues: (root.map { try repository.flat($0) } ?? []).map { (Array($0.path.utf8), $0.entry) })
    // All is checked against the branch before anything is written.
    for file in wish.files {
      if repository.protectedFiles.contains(file.path) {
        throw APIError(403, "file is protected and can not be changed [path: \(file.path)]")
      }
      try check(file, present)
    }
    let changes = try wish.files.flatMap { try self.changes($0, present, repository) }
    let tree = try repository.edited(root, changes)
    let commit = try repository.putCommit(
      tree, tip.map { [$0] } ?? [], (wish.message ?? "").trimmingCharacters(in: .whitespacesAndNewlines) + "\n",
      author: wish.author ?? wish.committer, committer: wish.committer)
    // A push from a clone, which a person who pushes with git may forestall.
    guard repository.move("refs/heads/\(branch)", from: tip, to: commit) else {
      throw APIError(500, "PushOutOfDate: ! [rejected] \(commit) -> \(branch) (fetch first)")
    }
    return Reply(status: 201, json: try filesReply(wish, commit, request, repository))
  }

  private func check(_ file: FilesWish.File, _ present: [[UInt8]: Repository.Entry]) throws {
    try Repository.check(file.path)
    guard file.path.count <= Self.longestPath else { throw APIError(422, "[Path]: MaxSize") }
    if file.operation != .create {
      guard let old = present[Array(file.source.utf8)] else {
        throw APIError(500, "object does not exist [id: , rel_path: \(file.source)]")
      }
      guard let id = file.sha, !id.isEmpty else {
        throw APIError(422, "a SHA or commit ID must be proved when updating a file")
      }
      guard old.id == id else { throw APIError(409, "sha does not match [given: \(id), expected: \(old.id)]") }
    }
    guard file.operation != .delete else { return }
    let parts = file.path.utf8.split(separator: UInt8(ascii: "/"))
    for count in 1..<parts.count {
      let folder = Array(parts.prefix(count).joined(separator: [UInt8(ascii: "/")]))
      if let entry = present[folder], !entry.isFolder {
        throw APIError(422, "a file exists where you’re trying to create a subdirectory [path: \(file.path)]")
      }
    }
    guard let entry = present[Array(file.path.utf8)] else { return }
    if entry.mode == "120000" { throw APIError(422, "a symbolic link exists where you’re trying to create a file") }
    if entry.isFolder { throw APIError(422, "a directory exists where you’re trying to create a file") }
    if file.operation == .create || file.source != file.path {
      throw APIError(422, "repository file already exists [path: \(file.path)]")
    }
  }

  private func changes(
    _ file: FilesWish.File, _ present: [[UInt8]: Repository.Entry], _ repository: Repository
  ) throws -> [(path: String, entry: Repository.Entry?)] {
    guard file.operation != .delete else { return [(file.path, nil)] }
    guard let data = Data(base64Encoded: file.content ?? "") else {
      throw APIError(422, "illegal base64 data at input byte 0")
    }
    let isProgram = file.operation == .update && present[Array(file.source.utf8)]?.mode == "100755"
    let entry = Repository.Entry(
      mode: isProgram ? "100755" : "100644", id: try repository.put("blob", Array(data)))
    let removal: [(path: String, entry: Repository.Entry?)] = file.source == file.path ? [] : [(file.source, nil)]
    return removal + [(file.path, entry)]
  }

  private func filesReply(
    _ wish: FilesWish, _ commit: String, _ request: Request, _ repository: Repository
  ) throws -> JSON {
    let tree = try repository.flat(repository.commit(commit).tree)
    let files = wish.files.map { file -> JSON in
      guard let entry = tree.first(where: { $0.path.utf8.elementsEqual(file.path.utf8) })?.entry else { return .null }
      return [
        "name": .string(String(file.path.split(separator: "/").last ?? "")), "path": .string(file.path),
        "sha": .string(entry.id), "type": "file",
      ]
    }
    var description = try forgejoDescription(ofCommit: commit, request, repository)
    let inner = description["commit"] ?? [:]
    for name in ["message", "author", "committer", "tree"] { description[name] = inner[name] }
    description["commit"] = nil
    return [
      "files": .array(files), "commit": description,
      "verification": ["verified": false, "reason": "gpg.error.not_signed_commit", "signature": "", "payload": ""],
    ]
  }
}
