internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Single files, each change of which is a commit.
extension Emulator {
  private struct FileWish: Decodable {
    var message: String?
    var content: String?
    var sha: String?
    var branch: String?
    var author: Repository.Person?
    var committer: Repository.Person?
  }

  func files(_ request: Request, _ repository: Repository) throws -> Reply {
    guard let path = request.rest(after: "/contents/") else { throw APIError(404, "Not Found") }
    let wish = request.call.body.isEmpty ? FileWish() : try request.body(FileWish.self)
    let query = request.call.query
    let branch = query["ref"] ?? query["branch"] ?? wish.branch ?? repository.defaultBranch
    let tip = repository.tip("refs/heads/\(branch)")
    let root = try tip.map { try repository.commit($0).tree }
    let present = try root.flatMap { try repository.flat($0).first { $0.path == path && !$0.entry.isFolder } }?.entry
    if request.call.method == "GET" { return try file(path, present, request, repository) }
    try check(present, wish.sha ?? query["sha"], path)
    try Repository.check(path)
    let entry =
      request.call.method == "DELETE"
      ? nil
      : Repository.Entry(
        mode: present?.mode ?? "100644",
        id: try repository.put("blob", Array(Data(base64Encoded: wish.content ?? "") ?? Data())))
    let tree = try repository.edited(root, [(path, entry)])
    let commit = try repository.putCommit(
      tree, tip.map { [$0] } ?? [], wish.message ?? "", author: wish.author, committer: wish.committer)
    guard repository.move("refs/heads/\(branch)", from: tip, to: commit) else {
      throw APIError(409, "\(path) does not match")
    }
    let content: JSON = entry.map { description(of: path, $0, request, repository) } ?? .null
    return Reply(
      status: present == nil ? 201 : 200,
      json: ["content": content, "commit": try description(ofCommit: commit, request, repository)])
  }

  /// Throws unless `id` names the present version of a file.
  private func check(_ present: Repository.Entry?, _ id: String?, _ path: String) throws {
    guard present?.id != id else { return }
    if present != nil, id == nil { throw APIError(422, "Invalid request.\n\n\"sha\" wasn't supplied.") }
    throw APIError(409, "\(path) does not match \(id ?? "")")
  }

  private func file(
    _ path: String, _ entry: Repository.Entry?, _ request: Request, _ repository: Repository
  ) throws -> Reply {
    guard let entry else { throw APIError(404, "Not Found") }
    let bytes = try repository.bytes(entry.id, "blob")
    var answer = description(of: path, entry, request, repository)
    answer.add(
      [
        "size": .integer(bytes.count), "encoding": "base64", "content": .string(Data(bytes).base64EncodedString()),
      ])
    return Reply(json: answer)
  }

  private func description(
    of path: String, _ entry: Repository.Entry, _ request: Request, _ repository: Repository
  ) -> JSON {
    [
      "type": "file", "name": .string(String(path.split(separator: "/").last ?? "")), "path": .string(path),
      "sha": .string(entry.id), "url": .string("\(request.url(repository))/contents/\(path)"),
    ]
  }
}
