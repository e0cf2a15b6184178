internal import HTTPStorage
internal import SyncKit

extension GitHubStorage {
  /// Reports the branch, and what the token may do with it.
  func diagnose() async throws(SyncError) -> [Finding] {
    let repository = try await branch.repository()
    let listing = try await list(since: Known())
    let name = try await branch.name()
    return [
      Finding(
        .good, "the branch \(name) of \(service.place.address) is reachable and holds \(listing.count.counted("file"))")
    ]
      + (repository.fullName == service.place.repository
        ? [] : [Finding(.note, "the repository is now called \(repository.fullName); change `repository`")])
      + (repository.archived == true ? [Finding(.problem, "the repository is archived: nothing can be written")] : [])
      + (repository.permissions?.push == false
        ? [Finding(.problem, "the token may not write; give it the permission to write the repository's contents")]
        : [])
      + (try await protection(of: name))
      + listing.unread.map { part in
        switch part.reason {
        case .special(let what): Finding(.note, "\(part.path) is \(what); ignored")
        case .placeholder(let cloud): Finding(.note, "\(part.path) is a placeholder of \(cloud); not synced")
        case .failed(let reason): Finding(.problem, "cannot read \(part.path): \(reason)")
        }
      }
  }

  private func protection(of name: String) async throws(SyncError) -> [Finding] {
    let path = "/branches/\(Branch.encoded(name))"
    let answer = try await service.ask("GET", path)
    // An empty repository has no branch.
    guard answer.status != 404 else { return [] }
    let reply: BranchReply = try service.value(in: answer, "GET", path)
    guard reply.protected, reply.userCanPush != true else { return [] }
    return [
      Finding(
        .problem,
        "the branch \(name) is protected: \(service.place.kind.product) refuses commits unless its rules allow them for the owner of the token"
      )
    ]
  }
}
