internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Probe {
  /// Probes if tags distinguish versions of the same size that were written within a second. If no two were, because the
  /// connection is slow, the answer is unknown and counts as no.
  func probeTags(_ traits: inout Traits) async throws(SyncError) {
    var versions: [Facts] = []
    var neighbours = 0
    for number in 10..<22 where neighbours < 2 {
      try await putRequired("\(number)\n", at: "tags.org")
      guard let facts = try await facts(of: "tags.org"), facts.tag != nil, let modified = facts.modified else { return }
      if versions.last?.modified == modified { neighbours += 1 }
      versions.append(facts)
    }
    traits.tagsAreFine = neighbours > 0 && Set(versions.map(\.tag)).count == versions.count
    let response = try await server.ask(
      HTTPRequest("GET", url("tags.org"), headers: [HTTPHeader("Accept-Encoding", "identity")]))
    let seen = Facts(head: response)
    traits.headsAgree = try await facts(of: "tags.org") == seen && seen.isWhole
  }

  /// Probes if every change of a file changes the tag of the folder two levels above it, in its parent's listing.
  func probeFolderTags(_ traits: inout Traits) async throws(SyncError) {
    guard traits.tagsAreFine, traits.movesWithoutOverwriting else { return }
    for name in ["above", "above/between"] {
      try require(try await server.makeFolder(server.address.folder(path(name))), "MKCOL", name)
    }
    let (file, other) = ("above/between/a.org", "above/between/b.org")
    var tags = [try await folderTag("above")]
    try await putRequired("old\n", at: file)
    tags.append(try await folderTag("above"))
    try await putRequired("new\n", at: file)
    tags.append(try await folderTag("above"))
    try require(try await server.move(url(file), to: url(other), overwriting: false), "MOVE", file)
    tags.append(try await folderTag("above"))
    try require(try await server.delete(url(other)), "DELETE", other)
    tags.append(try await folderTag("above"))
    // Without the file, the tag may be the first one again.
    traits.tagsReachUp = !tags.contains(nil) && zip(tags, tags.dropFirst()).allSatisfy { $0 != $1 }
  }

  private func folderTag(_ name: String) async throws(SyncError) -> EntityTag? {
    try await server.children(of: folder)?.items[Array(name.utf8)]?.facts.tag
  }

  /// Probes which conditions are checked when a request begins.
  func probeConditions(_ traits: inout Traits) async throws(SyncError) {
    guard let wrong = Self.wrongTag else { return }
    let name = "conditions.org"
    try await putRequired("old\n", at: name)
    traits.guardsCreations = try await isRefused(name, .absent)
    traits.guardsUpdates = try await isRefused(name, .tag(wrong))
    let removal = try await conclusive("DELETE", name) { () throws(SyncError) in
      try await server.delete(url(name), if: .tag(wrong))
    }
    traits.guardsRemovals = removal.status == 412
    // A server that marks its tags as strong too early rejects the right one as well (Apache, in a file's first second).
    guard traits.guardsUpdates else { return }
    traits.guardsUpdates = try await acceptsTheRightTag()
    traits.guardsRemovals = traits.guardsRemovals && traits.guardsUpdates
  }

  private func isRefused(_ name: String, _ condition: Preconditions) async throws(SyncError) -> Bool {
    guard try await put("new\n", at: name, if: condition).status == 412 else { return false }
    return try await text(of: name) == "old\n"
  }

  private func acceptsTheRightTag() async throws(SyncError) -> Bool {
    try await putRequired("old\n", at: "right.org")
    guard let tag = try await facts(of: "right.org")?.tag else { return false }
    return try await put("new\n", at: "right.org", if: .tag(tag)).isGood
  }
}
