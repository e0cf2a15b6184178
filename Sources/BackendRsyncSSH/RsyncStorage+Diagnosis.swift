internal import RsyncWire
internal import SyncKit

/// What a diagnosis says about the remote folder.
extension RsyncStorage {
  func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await far.list()
    let count = listing.files.count { file in
      file.kind == .file && SyncPath(bytes: file.name).map { !ReservedName.isReserved($0.name) } ?? false
    }
    var findings = [Finding(.good, "\(address) is reached \(await far.way) and holds \(count) files")]
    if !listing.isWhole {
      let reason = listing.errorLines.first ?? "rsync there gave no reason"
      findings.append(
        Finding(.problem, "not everything in it can be read, so nothing counts as deleted there: \(reason)"))
    }
    findings.append(await exclusiveness())
    findings += leftovers(listing.files)
    return findings
  }

  /// Whether the exclusive mode is in force, or could be.
  private func exclusiveness() async -> Finding {
    do throws(SyncError) { try await isExclusive ? proveLinks() : far.requireSFTP() } catch {
      guard isExclusive else {
        return Finding(
          .note, "\(gap); `exclusive` would rule that out, and is not possible: \(error.cause ?? error.message)")
      }
      return Finding(.problem, error.message)
    }
    return isExclusive
      ? Finding(.good, "`exclusive` is in force: no version is replaced unseen, whenever another program puts it there")
      : Finding(.note, "\(gap); `exclusive = true` rules that out, and sftp there has what it needs")
  }

  private func proveLinks() async throws(SyncError) {
    try await far.requireSFTP()
    let suffix = KeptName.suffix(for: parts.device, parts.world, isExclusive: true)
    // No file of the folder has such a name, so that there is something to send.
    guard let staging = KeptName.staging(for: suffix), let path = SyncPath(suffix),
      let staged = staging.appending(path.bytes)
    else { return }
    let empty = Content([])
    let file = SentFile(
      name: path.bytes, kind: .file, seconds: 0, nanoseconds: 1, hash: try await empty.wireHash())
    let dispatch = await far.send(
      [Parcel(path: path, content: empty, file: file)], folders: [], .staged(staging.description))
    if let failure = dispatch.failure { throw failure }
    try await far.proveLinks(with: staged, in: staging)
  }

  private var gap: String {
    "a version that another program renames into place while rsync replaces the file, within a few of its steps, is lost"
  }

  /// Versions that were kept while they were replaced, and that nobody has come back for.
  private func leftovers(_ files: [ListedFile]) -> [Finding] {
    let week: Int64 = 7 * 86_400
    let names = files.filter { [.file, .folder].contains($0.kind) && parts.world.now().seconds - $0.seconds > week }
      .compactMap { SyncPath(bytes: $0.name) }.filter { ReservedName.isTemporary($0.name) }
    guard let first = names.first else { return [] }
    return [
      Finding(
        .note,
        "\(names.count) files such as \(first) were left by a device that was interrupted; its next run clears them up, "
          + "and if it is gone for good they can be looked at and removed by hand")
    ]
  }
}
