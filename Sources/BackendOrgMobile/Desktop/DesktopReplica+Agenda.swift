internal import OrgKit
internal import SyncKit

/// The agenda views for phones. They depend on the files, the settings and the day, and are created again when one of these has
/// changed; contents come from the archive, so that no file is fetched again.
extension DesktopReplica {
  /// Creates the views again if the day or the settings have changed, or a push was interrupted before it created them. Leaves
  /// an area without a push from this device unchanged.
  func renewAgendas(of contents: StagingArea.Contents) async throws(SyncError) {
    guard let record = try await agendaRecord(), !isCurrent(record, contents) else { return }
    try await publish([:])
  }

  private func isCurrent(_ record: AgendaRecord, _ contents: StagingArea.Contents) -> Bool {
    guard record.settings == agendaSettings else { return false }
    if views.isEmpty { return true }
    let files = contents.files.filter { $0.isOrg && !Self.reserved.contains($0) }
    return record.day == today && contents.index.names.contains(Bytes(StagingName.agendas.utf8))
      && files.count == record.files.count
      && files.allSatisfy { record.files[$0]?.listed == contents.checksums[$0.bytes] ?? "" }
  }

  private var today: OrgDay { LocalTime(parts.runtime.now()).day }

  private var agendaSettings: String { (views.map(\.text) + ["|"] + todoLines).joined(separator: "\n") }

  private func agendaRecord() async throws(SyncError) -> AgendaRecord? {
    try await parts.journal.records()[AgendaRecord.key].flatMap { AgendaRecord($0) }
  }

  /// The text of `agendas.org`, nil if there are no views, and the record of its inputs.
  /// - Parameters:
  ///   - digests: the digests of the Org files for `checksums.dat`.
  ///   - written: the files whose content is in memory.
  func agendas(
    of digests: [SyncPath: String], _ written: [SyncPath: Bytes?]
  ) async throws(SyncError) -> (bytes: Bytes?, record: AgendaRecord) {
    var record = AgendaRecord(day: today, settings: agendaSettings)
    guard !views.isEmpty else { return (nil, record) }
    let former = try await agendaRecord()
    agendaParts.begin(record.day)
    agendaParts.keep(digests.keys)
    var agenda: [AgendaPart] = []
    for (path, listed) in digests.sorted(by: { $0.key < $1.key }) {
      var file = former?.files[path].flatMap { $0.listed == listed ? $0 : nil }
      if file == nil || agendaParts[path, listed] == nil {
        // An unreadable file is omitted; the next pass tries again.
        guard let bytes = try await content(of: path, file?.digest, written) else { continue }
        file = AgendaRecord.File(listed: listed, digest: Digest(of: bytes))
        agendaParts[path, listed] = AgendaPart(
          OrgDocument(bytes, todoKeywords: todoLines), at: path, views, today: record.day)
      }
      record.files[path] = file
      if let part = agendaParts[path, listed] { agenda.append(part) }
    }
    return (AgendaText(views, agenda, today: record.day).bytes, record)
  }

  /// Returns a file's content; nil if it cannot be read, which the pass itself reports.
  private func content(
    of path: SyncPath, _ digest: Digest?, _ written: [SyncPath: Bytes?]
  ) async throws(SyncError) -> Bytes? {
    if let bytes = written[path].flatMap({ $0 }) { return bytes }
    if let digest, let content = try await parts.contents.content(digest) {
      return try await content.bytes(atMost: StagingArea.largestFile)
    }
    do throws(SyncError) { return try await area.read(path)?.bytes } catch {
      guard error.reach == .path else { throw error }
      return nil
    }
  }
}
