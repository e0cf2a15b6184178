internal import CurlHTTP
internal import SyncKit

extension Probe {
  /// Whether tags tell versions apart that were written within a second and have the same size. Where no two are written
  /// within a second, because the line is slow, that is not known and not believed.
  func probeTags(_ traits: inout Traits) async throws(SyncError) {
    var versions: [Facts] = []
    var neighbours = 0
    for number in 10..<22 where neighbours < 2 {
      try await put("\(number)\n", at: "tags.org")
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

  /// Which conditions are heeded at all. Whether they hold to the end shows when uploads are probed.
  func probeConditions(_ traits: inout Traits) async throws(SyncError) {
    guard let wrong = Self.wrongTag else { return }
    try await put("old\n", at: "conditions.org")
    traits.guardsCreations = try await isRefused("conditions.org", .absent)
    traits.guardsUpdates = try await isRefused("conditions.org", .tag(wrong))
    let removal = try await server.delete(url("conditions.org"), if: .tag(wrong))
    traits.guardsRemovals = removal.status == 412
    // A server that calls its tags strong too early refuses the right one, too (Apache, in a file's first second).
    guard traits.guardsUpdates else { return }
    traits.guardsUpdates = try await acceptsTheRightTag()
    traits.guardsRemovals = traits.guardsRemovals && traits.guardsUpdates
  }

  private func isRefused(_ name: String, _ condition: Preconditions) async throws(SyncError) -> Bool {
    guard try await put("new\n", at: name, if: condition).status == 412 else { return false }
    return try await text(of: name) == "old\n"
  }

  private func acceptsTheRightTag() async throws(SyncError) -> Bool {
    try await put("old\n", at: "right.org")
    guard let tag = try await facts(of: "right.org")?.tag else { return false }
    return try await put("new\n", at: "right.org", if: .tag(tag)).isGood
  }
}
