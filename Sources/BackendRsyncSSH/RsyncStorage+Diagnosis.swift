internal import RsyncWire
internal import SyncKit

/// The diagnosis of the remote folder.
extension RsyncStorage {
  func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await remote.list()
    let count = listing.files.count { file in
      file.kind == .file && SyncPath(bytes: file.name).map { !ReservedName.isReserved($0.name) } ?? false
    }
    var findings = [Finding(.good, "\(address) holds \(count.counted("file")); syncd reaches it \(await remote.route)")]
    if !listing.isWhole {
      let reason = listing.errorLines.first ?? "rsync reported no reason"
      findings.append(
        Finding(.problem, "cannot read the whole folder, so no file missing there counts as deleted: \(reason)"))
    }
    findings.append(await exclusiveness())
    findings += leftovers(listing.files)
    return findings
  }

  /// Reports if the exclusive mode is active or possible.
  private func exclusiveness() async -> Finding {
    guard !parts.isReceiveOnly else { return .unprobed }
    do throws(SyncError) { try await isExclusive ? proveLinks() : remote.requireSFTP() } catch {
      guard isExclusive else {
        return Finding(
          .note,
          "\(gap); `exclusive = true` would close this gap but is not possible: \(error.cause ?? error.message)")
      }
      return Finding(.problem, error.message)
    }
    return isExclusive
      ? Finding(.good, "`exclusive` is in force: syncd never replaces a version that it has not seen")
      : Finding(.note, "\(gap); `exclusive = true` closes this gap, and the remote host supports it")
  }

  private func proveLinks() async throws(SyncError) {
    try await remote.requireSFTP()
    let suffix = PreviousVersionName.suffix(for: parts.device, parts.runtime, isExclusive: true)
    // No file of the folder has such a name, so rsync has something to send.
    guard let staging = PreviousVersionName.staging(for: suffix), let path = SyncPath(suffix),
      let staged = staging.appending(path.bytes)
    else { return }
    let empty = Content([])
    let file = SentFile(
      name: path.bytes, kind: .file, seconds: 0, nanoseconds: 1, hash: try await empty.wireHash())
    let sent = await remote.send(
      [Upload(path: path, content: empty, file: file)], folders: [], .staged(staging.description))
    if let failure = sent.failure { throw failure }
    try await remote.proveLinks(with: staged, in: staging)
  }

  private var gap: String {
    "a version that another program renames into place while rsync replaces the same file can be lost"
  }

  /// Reports temporary files that an interrupted device left more than a week ago.
  private func leftovers(_ files: [ListedFile]) -> [Finding] {
    let lastWeek = parts.runtime.now().seconds - 7 * 86_400
    let names = files.filter { [.file, .folder].contains($0.kind) && $0.seconds < lastWeek }
      .compactMap { SyncPath(bytes: $0.name) }.filter { ReservedName.isTemporary($0.name) }
    guard let first = names.first else { return [] }
    return [
      Finding(
        .note,
        "an interrupted device left \(names.count.counted("temporary file")) such as \(first); its next run removes them. If that "
          + "device is gone for good, check their contents and remove them by hand")
    ]
  }
}
