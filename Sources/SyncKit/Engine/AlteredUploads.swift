/// An upload that the remote has altered, as it was read back.
struct AlteredUpload: Hashable, Sendable {
  var path: SyncPath
  var sent: Digest
  var found: Digest
}

/// Finds files that a remote stored in an altered form, as servers do that change line ends. Otherwise the next pass would
/// merge a file with its own altered copy, and each merge would be altered again.
struct AlteredUploads {
  let parts: PassParts

  private static let prefix = "engine.altered."

  private var journal: any Journal { parts.archive.journal(of: parts.name) }

  /// Records altered uploads in the journal. They are durable on return.
  func add(_ uploads: [AlteredUpload]) async throws(SyncError) {
    guard !uploads.isEmpty else { return }
    let records = uploads.map { (Self.key(of: $0.path), Optional($0.sent.bytes + $0.found.bytes + $0.path.bytes)) }
    try await journal.write(Dictionary(records, uniquingKeysWith: { $1 }))
  }

  private func known() async throws(SyncError) -> [SyncPath: AlteredUpload] {
    var known: [SyncPath: AlteredUpload] = [:]
    for (key, record) in try await journal.records() where key.hasPrefix(Self.prefix) {
      guard record.count > 64, let sent = Digest(bytes: record[..<32]), let found = Digest(bytes: record[32..<64]),
        let path = SyncPath(bytes: Array(record[64...]))
      else { continue }
      known[path] = AlteredUpload(path: path, sent: sent, found: found)
    }
    return known
  }

  private static func key(of path: SyncPath) -> String { prefix + Digest(of: path.bytes).description }

  /// Returns the plan in which such files stay unchanged on both sides.
  func leftAlone(in plan: Plan) async throws(SyncError) -> Plan {
    var plan = plan
    try await leaveKnownAlone(in: &plan)
    for index in plan.indices where isCandidate(index, in: plan) {
      let difference = plan.differences[index]
      guard let change = plan.scan.intendedChange(of: difference), let sent = try await bytes(change.target),
        case .present(let digest) = plan.scan.state(of: difference, on: .remote),
        let found = try await bytes(digest), let what = TextForm.alteration(of: sent, to: found)
      else { continue }
      plan.decisions[index] = .leave
      plan.altered[index] =
        "the remote stores the file with other \(what) than it is sent, so neither side is changed; exclude the file, encrypt "
        + "the remote, or copy the remote's form into the store"
    }
    return plan
  }

  /// Leaves recorded uploads unchanged, and sends edits that the store has made since. Records that no longer apply are removed.
  private func leaveKnownAlone(in plan: inout Plan) async throws(SyncError) {
    var over: [String: [UInt8]?] = [:]
    for (path, upload) in try await known() {
      guard let index = plan.index(of: path) else {
        if Side.allCases.allSatisfy({ !plan.scan[$0].isUnknown(path) }) { over[Self.key(of: path)] = .some(nil) }
        continue
      }
      let (local, remote) = (
        plan.scan.state(of: plan.differences[index], on: .local),
        plan.scan.state(of: plan.differences[index], on: .remote)
      )
      switch (local, remote) {
      case (.unknown, _), (_, .unknown): continue
      case (.present(upload.sent), .present(upload.found)):
        plan.decisions[index] = .leave
        plan.altered[index] =
          "the remote has another content than it was sent, so neither side is changed; edit the file, encrypt the remote, or exclude "
          + "the file"
      case (.present, .present(upload.found)) where local != remote: plan.decisions[index] = .copy(to: .remote)
      default: over[Self.key(of: path)] = .some(nil)
      }
    }
    if !over.isEmpty, !parts.options.isDryRun { try await journal.write(over) }
  }

  /// Returns true if a pass wrote a content to the remote that did not appear there, and the remote has another one.
  private func isCandidate(_ index: Int, in plan: Plan) -> Bool {
    let difference = plan.differences[index]
    switch plan.decisions[index] {
    case .merge, .copy(to: .local): break
    default: return false
    }
    guard let change = plan.scan.intendedChange(of: difference), let former = change.remote, let target = change.target,
      case .present(let digest) = plan.scan.state(of: difference, on: .remote)
    else { return false }
    return digest != target && former != .content(digest)
  }

  private func bytes(_ digest: Digest?) async throws(SyncError) -> [UInt8]? {
    guard let digest, let content = try await parts.archive.content(digest) else { return nil }
    return try await content.bytes()
  }
}

/// The forms of a text that differ only in meaningless details.
enum TextForm {
  /// Returns the difference in form if the two texts are otherwise equal; nil if they are not.
  static func alteration(of sent: [UInt8], to found: [UInt8]) -> String? {
    guard plain(sent) == plain(found) else {
      return String(validating: sent, as: UTF8.self) != nil && String(validating: found, as: UTF8.self) == nil
        && plain(sent).filter { $0 < 0x80 } == plain(found).filter { $0 < 0x80 } ? "encoding" : nil
    }
    if sent.starts(with: mark) != found.starts(with: mark) { return "byte order mark" }
    return sent.count { $0 == 0x0D } == found.count { $0 == 0x0D } ? "blanks at line ends" : "line ends"
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the text without byte order mark, carriage returns, trailing spaces of lines and trailing white space.
  private static func plain(_ text: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    var blanks: [UInt8] = []
    for byte in text.starts(with: mark) ? text.dropFirst(mark.count) : text[...] {
      switch byte {
      case 0x20, 0x09, 0x0D: blanks.append(byte)
      case 0x0A:
        plain.append(byte)
        blanks = []
      default:
        plain += blanks.filter { $0 != 0x0D } + [byte]
        blanks = []
      }
    }
    while plain.last == 0x0A { plain.removeLast() }
    return plain
  }
}
