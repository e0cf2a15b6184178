internal import RsyncWire
internal import SyncKit

/// What `syncd doctor` is told.
extension RsyncStorage {
  func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await far.list()
    let count = listing.files.count { file in
      file.kind == .file && SyncPath(bytes: file.name).map { !ReservedName.isReserved($0.name) } ?? false
    }
    var findings = [Finding(.good, "\(address) is reached \(await far.way) and holds \(count) files")]
    if !listing.isWhole {
      let reason = listing.complaints.first ?? "rsync there gave no reason"
      findings.append(
        Finding(.problem, "not everything in it can be read, so nothing counts as deleted there: \(reason)"))
    }
    findings += leftovers(listing.files)
    return findings
  }

  /// Versions that were kept while they were replaced, and that nobody has come back for.
  private func leftovers(_ files: [ListedFile]) -> [Finding] {
    let week: Int64 = 7 * 86_400
    let names = files.filter { $0.kind == .file && parts.world.now().seconds - $0.seconds > week }
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
