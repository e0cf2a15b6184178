internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Probe {
  /// Returns true if MOVE overwrites only when requested.
  func probeMoves(_ traits: inout Traits) async throws(SyncError) {
    try await putRequired("new\n", at: "source.org")
    try await putRequired("old\n", at: "target.org")
    traits.movesWithoutOverwriting = try await keepsFromOverwriting()
  }

  private func keepsFromOverwriting() async throws(SyncError) -> Bool {
    let refused = try await move("source.org", to: "target.org")
    // Any other status has another reason (RFC 4918, 9.9.4).
    guard refused.status == 412, try await text(of: "target.org") == "old\n",
      try await text(of: "source.org") == "new\n"
    else { return false }
    let moved = try await move("source.org", to: "moved.org")
    let (here, there) = (try await text(of: "source.org"), try await text(of: "moved.org"))
    return moved.isGood && here == nil && there == "new\n"
  }

  private func move(_ source: String, to target: String) async throws(SyncError) -> Outcome {
    try requireConclusive(try await server.move(url(source), to: url(target), overwriting: false), "MOVE", source)
  }

  /// Probes which characters do not survive a MOVE, so that a file would get another name (wsgidav treats `?` as the end of the
  /// destination).
  func probeCharacters(_ traits: inout Traits) async throws(SyncError) {
    guard traits.movesWithoutOverwriting else { return }
    let characters = ["?", "#", "%", ";"]
    for character in characters {
      try await putRequired("odd\n", at: "plain.org")
      let outcome = try await server.move(url("plain.org"), to: url("odd\(character)name"), overwriting: false)
      // Some servers fail with an internal error for such a name.
      if outcome.status != 500 { _ = try requireConclusive(outcome, "MOVE", "plain.org") }
    }
    let names = Set(try await server.children(of: folder)?.items.keys.map { String(decoding: $0, as: UTF8.self) } ?? [])
    traits.lostCharacters = characters.filter { !names.contains("odd\($0)name") }.joined()
  }

  /// Probes which names are listed, in which form, and which are treated as the same. The listing decides: a server that alters
  /// names also finds a file under the name that was sent.
  func probeNames(_ traits: inout Traits) async throws(SyncError) {
    let (composed, decomposed) = ("caf\u{E9}.org", "pate\u{301}.org")
    // Not every server accepts the other names.
    try await putRequired("name\n", at: "Case.org")
    for name in [".dot.org", composed, decomposed] { try await put("name\n", at: name) }
    let names = Set(try await server.children(of: folder)?.items.keys.map { $0 } ?? [])
    func lists(_ name: String) -> Bool { names.contains(Array(name.utf8)) }
    traits.listsDotNames = lists(".dot.org")
    traits.keepsNames = lists("Case.org")
    traits.composesNames = lists(composed) && !lists(decomposed) && lists("pat\u{E9}.org")
    traits.decomposesNames = lists(decomposed) && !lists(composed) && lists("cafe\u{301}.org")
    traits.foldsCase = try await facts(of: "cASE.org") != nil
    traits.foldsUnicode = try await facts(of: "cafe\u{301}.org") != nil
  }
}
