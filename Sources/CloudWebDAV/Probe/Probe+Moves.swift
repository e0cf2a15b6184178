internal import CurlHTTP
internal import SyncKit

extension Probe {
  /// Whether MOVE overwrites only what it is told to.
  func probeMoves(_ traits: inout Traits) async throws(SyncError) {
    try await put("new\n", at: "source.org")
    try await put("old\n", at: "target.org")
    traits.movesWithoutOverwriting = try await keepsFromOverwriting()
  }

  private func keepsFromOverwriting() async throws(SyncError) -> Bool {
    let refused = try await server.move(url("source.org"), to: url("target.org"), overwriting: false)
    guard !refused.isGood, try await text(of: "target.org") == "old\n", try await text(of: "source.org") == "new\n"
    else { return false }
    let moved = try await server.move(url("source.org"), to: url("moved.org"), overwriting: false)
    let (here, there) = (try await text(of: "source.org"), try await text(of: "moved.org"))
    return moved.isGood && here == nil && there == "new\n"
  }

  /// Which characters do not survive a MOVE, with which a file would end under another name (wsgidav takes `?` for the
  /// end of the destination).
  func probeCharacters(_ traits: inout Traits) async throws(SyncError) {
    guard traits.movesWithoutOverwriting else { return }
    let characters = ["?", "#", "%", ";"]
    for character in characters {
      try await put("odd\n", at: "plain.org")
      _ = try await server.move(url("plain.org"), to: url("odd\(character)name"), overwriting: false)
    }
    let names = Set(try await server.children(of: folder)?.items.keys.map { String(decoding: $0, as: UTF8.self) } ?? [])
    traits.lostCharacters = characters.filter { !names.contains("odd\($0)name") }.joined()
  }

  /// Whether a lock keeps others out and its owner not. The name has an escape in it, which not every server gets right
  /// everywhere.
  func probeLocks(_ traits: inout Traits) async throws(SyncError) {
    let name = "locked file.org"
    try await put("old\n", at: name)
    guard let token = try await lock(name) else { return }
    let others = try await [
      put("new\n", at: name).status, server.delete(url(name)).status,
      server.lock(url(name), as: "syncd check", seconds: 60).status,
    ]
    let isKept = try await text(of: name) == "old\n"
    let own = try await put("own\n", at: name, if: .lock(token))
    traits.locks = others.allSatisfy { $0 == 423 } && isKept && own.isGood
    if traits.locks { traits.movesOntoLocks = try await movesOnto(name, token) }
    _ = try await server.unlock(url(name), token)
    if traits.locks { try await probeRemovalUnderLock(name, &traits) }
  }

  private func lock(_ name: String) async throws(SyncError) -> String? {
    let outcome = try await steadily { () throws(SyncError) in
      try await server.lock(url(name), as: "syncd check", seconds: 60)
    }
    guard case .answered(let answer) = outcome, answer.isGood else { return nil }
    return Server.token(in: answer)
  }

  private func movesOnto(_ name: String, _ token: String) async throws(SyncError) -> Bool {
    try await put("new\n", at: "arriving.org")
    let moved = try await server.move(
      url("arriving.org"), to: url(name), overwriting: true, if: .lock(token, on: url(name)))
    // wsgidav ends the lock by the move, and whoever gets the next one in between finds no file (measured: edits lost).
    let isStillLocked = try await put("late\n", at: name).status == 423
    let text = try await text(of: name)
    return moved.isGood && isStillLocked && text == "new\n"
  }

  private func probeRemovalUnderLock(_ name: String, _ traits: inout Traits) async throws(SyncError) {
    try await put("old\n", at: name)
    guard let token = try await lock(name) else {
      traits.locks = false
      return
    }
    if try await server.delete(url(name), if: .lock(token)).isGood { return }
    traits.removalsNameTheFile = true
    traits.locks = try await server.delete(url(name), if: .lock(token, on: url(name))).isGood
  }

  /// Which names are listed, and which are taken for the same.
  func probeNames(_ traits: inout Traits) async throws(SyncError) {
    for name in [".dot.org", "Case.org", "caf\u{E9}.org"] { try await put("name\n", at: name) }
    let names = try await server.children(of: folder)?.items.keys.map { String(decoding: $0, as: UTF8.self) } ?? []
    traits.listsDotNames = names.contains(".dot.org")
    traits.foldsCase = try await facts(of: "cASE.org") != nil
    traits.foldsUnicode = try await facts(of: "cafe\u{301}.org") != nil
  }
}
