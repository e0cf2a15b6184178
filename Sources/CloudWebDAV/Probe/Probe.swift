internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// Probes a server's behaviour in a temporary folder below the root.
///
/// It does not ask the server what it is: the same program behaves differently behind another proxy.
struct Probe: Sendable {
  let server: Server
  let folder: SyncPath
  /// The time that an upload may take to become visible.
  var patience = Duration.milliseconds(100)
  static let longestPatience = Duration.seconds(5)

  /// Runs the probe. The root must exist.
  static func run(on server: Server) async throws(SyncError) -> Traits {
    guard let folder = SyncPath(".syncd-check-\(server.runtime.uniqueName(length: 8)).tmp") else { return Traits() }
    var probe = Probe(server: server, folder: folder)
    let asked = server.runtime.now()
    let made = try await server.makeFolder(server.address.folder(folder))
    guard made.isGood else { throw probe.cannotBegin(made) }
    probe.wait(asLongAs: server.runtime.now().nanoseconds - asked.nanoseconds)
    let traits: Result<Traits, SyncError>
    do throws(SyncError) { traits = .success(try await probe.traits()) } catch { traits = .failure(error) }
    // A later pass finds and removes what cannot be removed now.
    let address = server.address.folder(folder)
    _ = await Task { try? await server.delete(address) }.value
    return try traits.get()
  }

  /// Adapts the patience to the duration of a request, in nanoseconds by a clock that may be set meanwhile.
  private mutating func wait(asLongAs duration: Int64) {
    patience = min(max(patience, .nanoseconds(duration) * 2), Self.longestPatience)
  }

  private func cannotBegin(_ outcome: Outcome) -> SyncError {
    switch outcome {
    case .answered(let answer): server.syncError(answer.status, "MKCOL", folder)
    case .notSent(let error), .lost(let error): error
    }
  }

  private func traits() async throws(SyncError) -> Traits {
    var traits = Traits()
    try await probeTags(&traits)
    try await probeNames(&traits)
    try await probeConditions(&traits)
    try await probeUploads(&traits)
    try await probeMoves(&traits)
    try await probeFolderTags(&traits)
    try await probeCharacters(&traits)
    try await probeLocks(&traits)
    (traits.product, traits.classes) = (server.product, server.classes)
    traits.probed = Timestamp(seconds: server.runtime.now().seconds)
    return traits
  }

  // MARK: Helpers

  func url(_ name: String) -> String { server.address.file(path(name)) }

  func path(_ name: String) -> SyncPath { folder.appending(Array(name.utf8)) ?? folder }

  /// Writes a text regardless of what is there; the server may reject it.
  @discardableResult
  func put(_ text: String, at name: String, if condition: Preconditions = .none) async throws(SyncError) -> Outcome {
    try await conclusive("PUT", name) { () throws(SyncError) in
      try await server.put(HTTPBytes(text), at: url(name), if: condition)
    }
  }

  /// Writes a text that the next test requires.
  func putRequired(_ text: String, at name: String) async throws(SyncError) {
    try require(try await put(text, at: name), "PUT", name)
  }

  /// Throws unless a required step has succeeded: missing permissions or a full disk say nothing about the server's behaviour.
  func require(_ outcome: Outcome, _ method: String, _ name: String) throws(SyncError) {
    guard !outcome.isGood else { return }
    throw unfinished(server.syncError(outcome.status, method, path(name)))
  }

  private func unfinished(_ error: SyncError) -> SyncError {
    SyncError(
      error.code == .unauthorized || error.code == .cancelled ? error.code : .unavailable,
      "the probe of \(server.address.text) before the first write failed: \(error.message)")
  }

  /// Statuses of temporary conditions, which say nothing about the server's behaviour.
  private static let passing: Set<Int> = [408, 425, 429, 500, 502, 503, 504, 507, 509]

  /// Returns a conclusive answer. Throws for a lost answer or one that reports an error, because nothing can be learned from
  /// them.
  @discardableResult
  func conclusive(
    _ method: String, _ name: String, _ ask: () async throws(SyncError) -> Outcome
  ) async throws(SyncError) -> Outcome {
    try requireConclusive(try await retrying(ask), method, name)
  }

  func requireConclusive(_ outcome: Outcome, _ method: String, _ name: String) throws(SyncError) -> Outcome {
    switch outcome {
    case .answered(let answer) where Self.passing.contains(answer.status):
      throw unfinished(server.syncError(answer.status, method, path(name)))
    case .answered: return outcome
    case .notSent(let error), .lost(let error): throw unfinished(error)
    }
  }

  /// Repeats a request after an internal error of the server, which says nothing about its behaviour.
  func retrying(_ ask: () async throws(SyncError) -> Outcome) async throws(SyncError) -> Outcome {
    try await server.repeating(after: Server.internalErrors, ask)
  }

  /// Returns the text of a file; nil if there is none.
  func text(of name: String) async throws(SyncError) -> String? {
    let answer = try await server.answer(
      to: HTTPRequest("GET", url(name), headers: [HTTPHeader("Accept-Encoding", "identity")]))
    if Self.passing.contains(answer.status) { throw unfinished(server.syncError(answer.status, "GET", path(name))) }
    return answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : nil
  }

  func facts(of name: String) async throws(SyncError) -> Facts? {
    switch try await server.lookUp(path(name)) {
    case .there(let observation): return observation.facts
    case .absent: return nil
    case .unclear(let error): throw unfinished(error)
    }
  }

  static let wrongTag = EntityTag("\"0-0-0-wrong\"")
}
