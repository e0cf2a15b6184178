internal import CurlHTTP
internal import SyncKit

extension Probe {
  /// Whether MOVE overwrites only what it is told to.
  func probeMoves(_ traits: inout Traits) async throws(SyncError) {
    try await lay("new\n", at: "source.org")
    try await lay("old\n", at: "target.org")
    traits.movesWithoutOverwriting = try await keepsFromOverwriting()
  }

  private func keepsFromOverwriting() async throws(SyncError) -> Bool {
    let refused = try await move("source.org", to: "target.org")
    // Any other refusal has another reason (RFC 4918, 9.9.4).
    guard refused.status == 412, try await text(of: "target.org") == "old\n",
      try await text(of: "source.org") == "new\n"
    else { return false }
    let moved = try await move("source.org", to: "moved.org")
    let (here, there) = (try await text(of: "source.org"), try await text(of: "moved.org"))
    return moved.isGood && here == nil && there == "new\n"
  }

  private func move(_ source: String, to target: String) async throws(SyncError) -> Outcome {
    try told(try await server.move(url(source), to: url(target), overwriting: false), "MOVE", source)
  }

  /// Which characters do not survive a MOVE, with which a file would end under another name (wsgidav takes `?` for the
  /// end of the destination).
  func probeCharacters(_ traits: inout Traits) async throws(SyncError) {
    guard traits.movesWithoutOverwriting else { return }
    let characters = ["?", "#", "%", ";"]
    for character in characters {
      try await lay("odd\n", at: "plain.org")
      let outcome = try await server.move(url("plain.org"), to: url("odd\(character)name"), overwriting: false)
      // Such a name is an error within some servers.
      if outcome.status != 500 { _ = try told(outcome, "MOVE", "plain.org") }
    }
    let names = Set(try await server.children(of: folder)?.items.keys.map { String(decoding: $0, as: UTF8.self) } ?? [])
    traits.lostCharacters = characters.filter { !names.contains("odd\($0)name") }.joined()
  }

  /// Whether a lock keeps others out and its owner not. The name has an escape in it, which not every server gets right
  /// everywhere.
  func probeLocks(_ traits: inout Traits) async throws(SyncError) {
    let name = "locked file.org"
    try await lay("old\n", at: name)
    guard let token = try await lock(name) else { return }
    let others = try await [
      put("new\n", at: name).status,
      telling("DELETE", name) { () throws(SyncError) in try await server.delete(url(name)) }.status,
      askForLock(name).status,
    ]
    let isKept = try await text(of: name) == "old\n"
    let own = try await put("own\n", at: name, if: .lock(token))
    traits.locks = others.allSatisfy { $0 == 423 } && isKept && own.isGood
    if traits.locks { traits.movesOntoLocks = try await movesOnto(name, token) }
    _ = try await server.unlock(url(name), token)
    if traits.locks { try await probeRemovalUnderLock(name, &traits) }
  }

  private func lock(_ name: String) async throws(SyncError) -> String? {
    guard case .answered(let answer) = try await askForLock(name), answer.isGood else { return nil }
    return Server.token(in: answer)
  }

  private func askForLock(_ name: String) async throws(SyncError) -> Outcome {
    try await telling("LOCK", name) { () throws(SyncError) in
      try await server.lock(url(name), as: "syncd check", seconds: 60)
    }
  }

  private func movesOnto(_ name: String, _ token: String) async throws(SyncError) -> Bool {
    try await lay("new\n", at: "arriving.org")
    let moved = try told(
      try await server.move(
        url("arriving.org"), to: url(name), overwriting: true, if: .lock(token, on: url(name))), "MOVE", name)
    // wsgidav ends the lock by the move, and whoever gets the next one in between finds no file (measured: edits lost).
    let isStillLocked = try await put("late\n", at: name).status == 423
    let text = try await text(of: name)
    return moved.isGood && isStillLocked && text == "new\n"
  }

  private func probeRemovalUnderLock(_ name: String, _ traits: inout Traits) async throws(SyncError) {
    try await lay("old\n", at: name)
    guard let token = try await lock(name) else {
      traits.locks = false
      return
    }
    if try told(try await server.delete(url(name), if: .lock(token)), "DELETE", name).isGood { return }
    traits.removalsNameTheFile = true
    traits.locks = try told(
      try await server.delete(url(name), if: .lock(token, on: url(name))), "DELETE", name
    ).isGood
  }

  /// Which names are listed, and which are taken for the same.
  func probeNames(_ traits: inout Traits) async throws(SyncError) {
    // The others are no names for every server.
    try await lay("name\n", at: "Case.org")
    for name in [".dot.org", "caf\u{E9}.org"] { try await put("name\n", at: name) }
    let names = try await server.children(of: folder)?.items.keys.map { String(decoding: $0, as: UTF8.self) } ?? []
    traits.listsDotNames = names.contains(".dot.org")
    traits.foldsCase = try await facts(of: "cASE.org") != nil
    traits.foldsUnicode = try await facts(of: "cafe\u{301}.org") != nil
  }
}
