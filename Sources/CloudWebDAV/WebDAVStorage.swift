internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A folder on a WebDAV server as a storage.
///
/// How it writes depends on the observed behaviour of the server (`Traits`), which is probed once and recorded in the journal
/// of the remote.
struct WebDAVStorage: StorageDefaults {
  /// The remote in the settings.
  let remote: String
  let server: Server
  let state: WebDAVState
  /// The name prefix of this device's temporaries.
  let device: String
  /// The owner in this device's locks.
  let lockOwner: String
  let allowsUnsafeWrites: Bool
  let verifiesUploads: Bool
  /// True if nothing may be written to the server.
  let isReceiveOnly: Bool
  /// The maximum number of files and folders in a listing.
  let maxFiles: Int
  /// The history, where a replaced version is stored before its last copy is removed.
  let history: any ContentLibrary

  var address: String { server.address.text }

  init(
    _ server: Server, parts: RemoteParts, allowsUnsafeWrites: Bool, verifiesUploads: Bool = false,
    maxFiles: Int = ListingLimit.defaultMaximum
  ) {
    remote = parts.name
    isReceiveOnly = parts.isReceiveOnly
    self.server = server
    self.allowsUnsafeWrites = allowsUnsafeWrites
    self.verifiesUploads = verifiesUploads
    self.maxFiles = maxFiles
    history = parts.contents
    device = String(parts.device.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(8)).lowercased()
    lockOwner = "syncd \(parts.device.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })"
    state = WebDAVState(journal: parts.journal)
  }

  // MARK: Capabilities

  /// Promises nothing before the server was probed, which a dry run never does.
  func capabilities() async throws(SyncError) -> Capabilities {
    let traits = try await state.traits()
    return Capabilities(
      replacement: traits?.replacement ?? .unsafe, naming: (traits ?? Traits()).naming,
      parallelism: server.parallelism, uploadCheck: verifiesUploads ? .each : .sampled)
  }

  /// Returns the traits; probes them if they are unknown, a week old, or those of another server.
  func provenTraits() async throws(SyncError) -> Traits {
    var traits = try await state.provenTraits(of: server)
    if try await overwrites(traits) {
      try await state.doubtTraits(at: server.runtime.now())
      traits = try await state.provenTraits(of: server)
    }
    guard traits.isSafe || allowsUnsafeWrites else {
      throw SyncError(
        .invalidSettings,
        "cannot write to \(address) safely: the server overwrites files on a move; set `unsafe-writes = true` if nothing else "
          + "writes there", remedy: .diagnose(remote: remote))
    }
    return traits
  }

  /// Returns true if the server overwrites files that it kept before, for example because of a new proxy. Tries it with small
  /// temporary files before each batch of writes; an inconclusive answer counts as false.
  private func overwrites(_ traits: Traits) async throws(SyncError) -> Bool {
    if traits.movesWithoutOverwriting {
      return try await withScratchFile(traits) { here throws(SyncError) in
        try await withScratchFile(traits) { there throws(SyncError) in
          guard try await server.put(HTTPBytes("x"), at: here).isGood,
            try await server.put(HTTPBytes("y"), at: there).isGood
          else { return false }
          return try await server.move(here, to: there, overwriting: false).isGood
        }
      }
    }
    guard traits.reliesOnConditions, let wrong = Probe.wrongTag else { return false }
    return try await withScratchFile(traits) { url throws(SyncError) in
      try await server.put(HTTPBytes("x"), at: url, if: .tag(wrong)).isGood
    }
  }

  /// Runs `work` with the address of a file that no other client knows, and removes the file.
  private func withScratchFile(
    _ traits: Traits, _ work: (_ url: String) async throws(SyncError) -> Bool
  ) async throws(SyncError) -> Bool {
    let beginning = traits.listsDotNames ? "" : "upload"
    guard let path = SyncPath("\(beginning).syncd-\(device)-\(server.runtime.uniqueName(length: 12)).tmp") else {
      return false
    }
    state.use(path)
    defer { state.release(path) }
    let url = server.address.file(path)
    let result: Result<Bool, SyncError>
    do throws(SyncError) { result = .success(try await work(url)) } catch { result = .failure(error) }
    _ = await Task { try? await server.deleteUpload(url) }.value
    return try result.get()
  }

  // MARK: The root

  func createRoot() async throws(SyncError) {
    if try await server.children(of: nil) == nil {
      let outcome = try await server.makeFolder(address)
      guard try await server.children(of: nil) != nil else { throw cannotCreateRoot(outcome) }
    }
    _ = try await provenTraits()
  }

  private func cannotCreateRoot(_ outcome: Outcome) -> SyncError {
    switch outcome {
    case .answered(let answer):
      SyncError(
        .unavailable,
        "cannot create the folder \(address) (HTTP \(answer.status)); create its parent first, or check `url`"
      )
    case .notSent(let error), .lost(let error): error
    }
  }

  func recover() async throws(SyncError) {
    state.allowTidying()
    try await recoverMoves()
    // The first listing must be read with the server's naming rules.
    if try await state.traits() == nil, try await server.children(of: nil) != nil {
      _ = try await state.provenTraits(of: server)
    }
  }

  // MARK: Listing

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let traits = try await state.traits(of: server)
    let snapshot = try await list(since: known, traits)
    guard let traits, !traits.isOf(server) else { return snapshot }
    // The answers came from another server than the one whose tags were probed.
    return try await list(since: known, nil)
  }

  private func list(since known: Known, _ traits: Traits?) async throws(SyncError) -> Snapshot {
    let now = server.runtime.now()
    let former = traits?.tagsReachUp == true ? KnownFolders(known) : nil
    let seen = former.map { SeenFolders(known.cursor).usable(at: now, with: $0) } ?? SeenFolders()
    let found = try await Listing(server: server, filter: known.filter, maxFiles: maxFiles, seen: seen).run()
    state.remember(found, seen.inside(found.unchanged))
    try await tidy(found.temporaries)
    let entries = found.files.map { $0.observation.entry(at: $0.path, traits) }
    var builder = SnapshotBuilder(since: known)
    for entry in entries { builder.add(entry) }
    for index in found.unchanged.flatMap({ former?.range(of: $0) ?? 0..<0 }) {
      builder.add(Entry(path: known[index].path, revision: known[index].revision))
    }
    for part in found.unread + found.missingOriginals(known.filter) { builder.add(unread: part) }
    let cursor = former == nil ? nil : seen.next(found, entries, at: now, filter: known.filter).cursor
    return builder.finish(
      root: RootIdentity(address: address, id: nil), naming: (traits ?? Traits()).naming, cursor: cursor)
  }

  /// Looks up one path by name.
  func presence(of path: SyncPath) async throws(SyncError) -> Presence {
    switch try await server.lookUp(path) {
    case .there(let observation):
      // A folder with this name is not the file.
      guard !observation.facts.isFolder else { return .absent }
      let traits = try await state.traits(of: server)
      // Neither is a file whose name the server treats as the same.
      guard try await alteredPart(of: path, traits?.foldsCase == true ? nil : traits) == nil else { return .absent }
      return .present(observation.entry(at: path, traits))
    case .absent: return .absent
    case .unclear(let error): return .unknown(error.message)
    }
  }
}
