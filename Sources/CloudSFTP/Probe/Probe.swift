internal import SFTPWire
internal import SyncKit

/// Probes the behaviour of a server in a folder of its own, and removes it.
///
/// It learns from what is there afterwards: neither an announced extension nor an answer proves anything, because a server may
/// confirm a link and make none.
struct Probe: Sendable {
  private let server: Server
  private let folder: [UInt8]

  static func run(on storage: SFTPStorage) async throws(SyncError) -> Traits {
    let suffix = storage.beginChange()
    defer { storage.state.end(suffix) }
    guard let path = SyncPath("probe" + PreviousVersionName.linked(suffix)) else { return Traits() }
    let probe = Probe(server: storage.server, folder: storage.folder.bytes(of: path))
    let made = try await storage.server.perform(.makeFolder(probe.folder))
    guard made.isDone else {
      throw SyncError(
        .pathFailed,
        "cannot write to \(storage.address): \(made.refusal?.message ?? "no reason given"); the account may have no permission, "
          + "or the disk or the quota may be full")
    }
    let result: Result<Traits, SyncError>
    do throws(SyncError) { result = .success(try await probe.traits()) } catch { result = .failure(error) }
    // Cancelling the pass must not leave files behind.
    await Task { await probe.tidy(storage, path) }.value
    return try result.get()
  }

  private func traits() async throws(SyncError) -> Traits {
    var traits = Traits()
    traits.syncs = try await create("one", "one\n")
    try await create("other", "other\n")
    traits.placing = try await placing()
    traits.movesAtomically = try await movesAtomically()
    try await probeNames(&traits)
    return traits
  }

  // MARK: Moves

  private func placing() async throws(SyncError) -> Traits.Placing {
    _ = try await server.perform([.link(name("one"), to: name("linked")), .link(name("one"), to: name("other"))])
    if try await text("linked") == "one\n", try await text("one") == "one\n", try await text("other") == "other\n" {
      return .link
    }
    try await create("source", "source\n")
    _ = try await server.perform(.rename(name("source"), to: name("other")))
    guard try await text("other") == "other\n", try await text("source") == "source\n" else { return .overwriting }
    _ = try await server.perform(.rename(name("source"), to: name("renamed")))
    return try await text("renamed") == "source\n" ? .rename : .overwriting
  }

  private func movesAtomically() async throws(SyncError) -> Bool {
    try await create("here", "moved\n")
    _ = try await server.perform(.move(name("here"), to: name("there")))
    let names = try await list()
    guard try await text("there") == "moved\n" else { return false }
    return names.contains(Array("there".utf8)) && !names.contains(Array("here".utf8))
  }

  // MARK: Names

  private func probeNames(_ traits: inout Traits) async throws(SyncError) {
    let (composed, decomposed) = (Array("\u{E9}".utf8), Array("e\u{301}".utf8))
    let (small, large, byte) = (Array("case".utf8), Array("CASE".utf8), [0x62, 0xFF, 0x62] as [UInt8])
    for bytes in [composed, decomposed, small, large, byte] { try await create(bytes, "name\n") }
    let names = try await list()
    traits.foldsCase = !(names.contains(small) && names.contains(large))
    traits.foldsUnicode = !(names.contains(composed) && names.contains(decomposed))
    traits.requiresUTF8 = !names.contains(byte)
  }

  // MARK: Files of the probe

  private func name(_ text: String) -> [UInt8] { name(Array(text.utf8)) }

  private func name(_ bytes: [UInt8]) -> [UInt8] { folder + [UInt8(ascii: "/")] + bytes }

  @discardableResult
  private func create(_ text: String, _ content: String) async throws(SyncError) -> Bool {
    try await create(Array(text.utf8), content)
  }

  /// Creates a file; returns true if the server made its content durable.
  @discardableResult
  private func create(_ bytes: [UInt8], _ content: String) async throws(SyncError) -> Bool {
    guard case .handle(let handle) = try await server.perform(.create(name(bytes))) else { return false }
    return try await server.perform([
      .write(handle: handle, offset: 0, Array(content.utf8)), .synchronize(handle: handle), .close(handle: handle),
    ])[1].isDone
  }

  /// The text of a file; nil if there is none.
  private func text(_ text: String) async throws(SyncError) -> String? {
    guard case .handle(let handle) = try await server.perform(.open(name(text))) else { return nil }
    let reply = try await server.perform([
      .read(handle: handle, offset: 0, count: 1_024), .close(handle: handle),
    ])[0]
    if case .data(let bytes) = reply { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }

  private func list() async throws(SyncError) -> Set<[UInt8]> {
    guard case .handle(let handle) = try await server.perform(.openFolder(folder)) else { return [] }
    defer { server.post([.close(handle: handle)]) }
    var names: Set<[UInt8]> = []
    // The folder has a dozen names.
    for _ in 0..<100 {
      guard case .names(let found) = try await server.perform(.readFolder(handle: handle)) else { break }
      names.formUnion(found.map(\.name))
    }
    return names
  }

  private func tidy(_ storage: SFTPStorage, _ path: SyncPath) async {
    // A failure leaves a folder that no store lists; the next pass removes it.
    guard case .names(let names)? = try? await storage.names(in: path) else { return }
    let files = names.map { SFTPRequest.remove(name($0.name)) }
    _ = try? await server.perform(files + [.removeFolder(folder)])
  }
}
