internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Probe {
  /// The number of attempts with a server that does not seem to keep its locks, each with another file: Apache loses locks, and
  /// keeps some that it reported as released, when others come and go at the same moment (measured: one in eight with 16
  /// clients).
  private static let lockAttempts = 3

  /// Probes if a lock excludes others but not its owner. The names contain an escape, which not every server handles correctly
  /// everywhere.
  func probeLocks(_ traits: inout Traits) async throws(SyncError) {
    for number in 1...Self.lockAttempts where !(traits.locks && traits.movesOntoLocks) {
      let name = "locked file \(number).org"
      guard let token = try await lockNew(name) else { return }
      traits.locks = try await keepsOthersOut(name, token)
      if traits.locks { traits.movesOntoLocks = try await movesOnto(name, token) }
      _ = try await server.unlock(url(name), token)
    }
    if traits.locks { try await probeRemovalUnderLock(&traits) }
  }

  private func keepsOthersOut(_ name: String, _ token: String) async throws(SyncError) -> Bool {
    let others = try await [
      put("new\n", at: name).status,
      conclusive("DELETE", name) { () throws(SyncError) in try await server.delete(url(name)) }.status,
      askForLock(name).status,
    ]
    let isKept = try await text(of: name) == "old\n"
    let own = try await put("own\n", at: name, if: .lock(token))
    return others.allSatisfy { $0 == 423 } && isKept && own.isGood
  }

  /// Creates a file and locks it; returns nil if the server grants no lock.
  private func lockNew(_ name: String) async throws(SyncError) -> String? {
    try await putRequired("old\n", at: name)
    guard case .answered(let answer) = try await askForLock(name), answer.isGood else { return nil }
    return Server.token(in: answer)
  }

  private func askForLock(_ name: String) async throws(SyncError) -> Outcome {
    try await conclusive("LOCK", name) { () throws(SyncError) in
      try await server.lock(url(name), as: "syncd check", seconds: 60)
    }
  }

  private func movesOnto(_ name: String, _ token: String) async throws(SyncError) -> Bool {
    try await putRequired("new\n", at: "arriving.org")
    let moved = try requireConclusive(
      try await server.move(
        url("arriving.org"), to: url(name), overwriting: true, if: .lock(token, on: url(name))), "MOVE", name)
    // wsgidav ends the lock by the move, and the next owner finds no file (measured: edits lost).
    let isStillLocked = try await put("late\n", at: name).status == 423
    let text = try await text(of: name)
    return moved.isGood && isStillLocked && text == "new\n"
  }

  /// Probes if a lock's owner can remove the file, and if the condition must contain its URL.
  private func probeRemovalUnderLock(_ traits: inout Traits) async throws(SyncError) {
    traits.locks = false
    for number in 1...Self.lockAttempts where !traits.locks {
      let name = "removed file \(number).org"
      guard let token = try await lockNew(name) else { return }
      for file in [nil, url(name)] where !traits.locks {
        traits.removalsNameTheFile = file != nil
        traits.locks = try await removes(name, .lock(token, on: file))
      }
    }
  }

  private func removes(_ name: String, _ condition: Preconditions) async throws(SyncError) -> Bool {
    try requireConclusive(try await server.delete(url(name), if: condition), "DELETE", name).isGood
  }
}
