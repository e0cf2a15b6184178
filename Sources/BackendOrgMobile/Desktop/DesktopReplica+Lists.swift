internal import OrgKit
internal import SyncKit

/// The files that a push writes in addition to the Org files: agenda views, index, checksums.
extension DesktopReplica {
  /// Writes agenda views, index and checksums after files were written or removed; a nil value means removed.
  func publish(_ written: [SyncPath: Bytes?]) async throws(SyncError) {
    let contents = try await area.contents()
    var (digests, verified) = try await verifiedDigests(contents, excluding: written)
    for (path, bytes) in written { digests[path] = bytes.map { ChecksumList.digest(of: $0, digits: 40) } }
    let agendas = try await agendas(of: digests.filter { $0.key.isOrg }, written)
    if let agendas = agendas.bytes { try await put(agendas, StagingName.agendas) }
    var index = contents?.index ?? StagingIndex()
    let tags = written.values.compactMap { $0 }.flatMap { OrgDocument($0).entries.flatMap(\.tags) }
    index.tags = Set(index.tags + tags).sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    try await writeLists(digests, index, agendas.bytes)
    try await parts.journal.write([
      AgendaRecord.key: agendas.record.bytes, VerifiedDigests.key: verified.bytes,
    ])
  }

  /// Returns the digests for `checksums.dat` of all files except those that this push writes. Corrects wrong lines, and removes
  /// lines of files that do not exist.
  private func verifiedDigests(
    _ contents: StagingArea.Contents?, excluding written: [SyncPath: Bytes?]
  ) async throws(SyncError) -> (digests: [SyncPath: String], verified: VerifiedDigests) {
    var digests: [SyncPath: String] = [:]
    var verified = VerifiedDigests()
    guard let contents else { return (digests, verified) }
    let former = VerifiedDigests(try await parts.journal.records()[VerifiedDigests.key] ?? [])
    let listing = try await area.storage.list(since: Known())
    for path in contents.files.subtracting(Self.reserved).sorted() where written[path] == nil {
      let listed = contents.checksums[path.bytes]
      guard let entry = listing[path] else {
        // A file that cannot be listed keeps its line.
        if listing.isUnknown(path) { digests[path] = listed }
        continue
      }
      let known = former.files[path]
      let isKnown = entry.isFirm && known?.revision == entry.revision && known?.digest == listed
      // Creating the views for another day is not a push, and reads no file.
      let isTrusted = written.isEmpty && listed != nil
      let digest = isKnown || isTrusted ? listed : try await verifiedDigest(of: path, contents)
      digests[path] = digest
      if let digest, entry.isFirm, isKnown || !isTrusted {
        verified.files[path] = .init(revision: entry.revision, digest: digest)
      }
    }
    return (digests, verified)
  }

  /// Returns the digest of a file: the listed one if it is right or cannot be checked; nil if the file does not exist.
  private func verifiedDigest(
    of path: SyncPath, _ contents: StagingArea.Contents
  ) async throws(SyncError) -> String? {
    let listed = contents.checksums[path.bytes]
    do throws(SyncError) {
      guard let file = try await area.read(path) else { return nil }
      guard contents.believes(file, at: path), contents.checksums.verifies(file.bytes, as: path.bytes) != true else {
        return listed
      }
      return ChecksumList.digest(of: file.bytes, digits: 40)
    } catch {
      guard error.reach == .path else { throw error }
      return listed
    }
  }

  /// Writes the lists in the order of a push: the capture file if there is none, the index, the checksums last.
  private func writeLists(
    _ digests: [SyncPath: String], _ former: StagingIndex, _ agendas: Bytes?
  ) async throws(SyncError) {
    let newline: Bytes = [UInt8(ascii: "\n")]
    let capture = try await area.read(StagingArea.path(StagingName.capture))
    if capture == nil { _ = try await put(newline, StagingName.capture) }

    var index = former
    index.todoLines = todoLines
    if index.priorities.isEmpty { index.priorities = ["A", "B", "C"] }
    index.names = (agendas == nil ? [] : [Bytes(StagingName.agendas.utf8)])
    index.names += digests.keys.filter(\.isOrg).sorted().map(\.bytes)
    try await put(index.bytes, StagingName.index)

    var list = ChecksumList()
    let lines = [(StagingName.index, index.bytes), (StagingName.capture, capture?.bytes ?? newline)]
    list.lines = lines.map(ChecksumList.line)
    list.lines += digests.sorted { $0.key < $1.key }.map { .init(digest: $0.value, name: $0.key.bytes) }
    list.lines += agendas.map { [ChecksumList.line(StagingName.agendas, $0)] } ?? []
    try await put(list.bytes, StagingName.checksums)
  }

  /// Writes a file that is ours alone, if it differs.
  private func put(_ bytes: Bytes, _ name: String) async throws(SyncError) {
    let path = StagingArea.path(name)
    let present = try await area.read(path)
    if present?.bytes == bytes { return }
    switch try await area.write(bytes, to: path, if: present.map { .unchanged($0.revision) } ?? .absent) {
    case .done, .accepted: return
    case .failed(let error), .unknown(let error): throw error
    case .cannot(let reason), .postponed(let reason):
      throw SyncError(.unavailable, "cannot write \(name) in \(area.address): \(reason)")
    case .refused:
      throw SyncError(
        .unavailable, "another program is writing \(name) in \(area.address); the next pass tries again")
    }
  }
}
