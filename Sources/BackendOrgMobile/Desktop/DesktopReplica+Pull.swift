internal import OrgKit
internal import SyncKit

/// Applies what phones wrote, before a pass.
extension DesktopReplica {
  /// The number of recorded note IDs, so that a phone that restores an old capture file repeats nothing.
  private static let remembered = 2_000

  func recover() async throws(SyncError) {
    try await area.storage.recover()
    guard var contents = try await area.contents() else { return }
    if let record = try await parts.journal.records()[Self.intakeKey] {
      guard let intake = Intake(record) else {
        throw SyncError(.damagedState, "the saved state of the staging area \(area.address) is damaged")
      }
      try await finish(intake)
    }
    let capture = try await area.capture()
    if !capture.file.isBlank {
      try await finish(begin(capture.bytes))
      contents = try await area.contents() ?? contents
    }
    try await renewAgendas(of: contents)
  }

  /// Decides how to apply a capture file, and records the decision. The file itself goes into the history first.
  private func begin(_ capture: Bytes) async throws(SyncError) -> Intake {
    let digest = try await parts.contents.intake(keepingAtMost: .max).receive(capture)
    let path = StagingArea.path(StagingName.capture)
    try await parts.contents.keep([Version(remote: parts.name, path: path, digest: digest, side: .remote)])
    var staged: [SyncPath: Bytes] = [:]
    let contents = try await area.contents()
    for path in contents?.files ?? [] where path.isOrg {
      if path != StagingArea.path(StagingName.agendas), let file = try await area.read(path) {
        guard contents?.believes(file, at: path) ?? true else { throw StagingArea.notText(path, in: area.address) }
        staged[path] = file.bytes
      }
    }
    let intake = Intake(
      capture, staged: staged, inbox: inbox, todoLines: contents?.index.todoLines ?? todoLines,
      known: Set(try await takenIDs()), time: LocalTime(parts.runtime.now()).stamp)
    try await parts.journal.write([Self.intakeKey: intake.bytes])
    return intake
  }

  /// The IDs that were applied, newest last.
  private func takenIDs() async throws(SyncError) -> [NoteID] {
    (try await parts.journal.records()[Self.takenKey] ?? []).textLines.map { NoteID($0.string) }
  }

  /// Carries out an intake, or the rest of it: first the files, then the lists, then the applied parts are removed from the
  /// capture file.
  private func finish(_ intake: Intake) async throws(SyncError) {
    if !intake.isWritten {
      for (path, file) in intake.files.sorted(by: { $0.key < $1.key }) { try await write(file, to: path) }
      if !intake.files.isEmpty { try await publish(intake.files.mapValues(\.new)) }
      var written = intake
      written.isWritten = true
      try await parts.journal.write([Self.intakeKey: written.bytes])
    }
    guard try await clear(intake) else { return }
    let new = CaptureFile(intake.taken).ids.sorted()
    let ids = try await takenIDs().filter { !new.contains($0) } + new
    try await parts.journal.write([
      Self.intakeKey: nil, Self.takenKey: ids.suffix(Self.remembered).map { Bytes($0.text.utf8) }.text,
    ])
  }

  /// Merges the phones' edits into a file that another client has changed since.
  private func write(_ file: Intake.File, to path: SyncPath) async throws(SyncError) {
    let present = try await area.read(path)
    guard present?.bytes != file.new else { return }
    let isExpected = present?.bytes == file.old
    let merged =
      isExpected ? file.new : OrgMerge.merge(base: file.old, ours: file.new, theirs: present?.bytes ?? []).content
    guard let merged,
      case .done = try await area.write(merged, to: path, if: present.map { .unchanged($0.revision) } ?? .absent)
    else {
      throw SyncError(
        .unavailable,
        "cannot write \(path) in \(area.address); \(StagingName.capture) is unchanged, and the next pass tries again"
      )
    }
  }

  /// Removes the applied parts from the capture file, but nothing newer; returns false if it must wait.
  private func clear(_ intake: Intake) async throws(SyncError) -> Bool {
    for _ in 0..<3 {
      let capture = try await area.capture()
      let rest = intake.rest(of: capture.bytes)
      guard rest != capture.bytes, let revision = capture.revision else { return true }
      switch try await area.write(rest, to: StagingArea.path(StagingName.capture), if: .unchanged(revision)) {
      case .done, .accepted: return true
      case .refused: continue
      case .failed(let error), .unknown(let error): throw error
      case .cannot, .postponed: return false
      }
    }
    return false
  }
}
