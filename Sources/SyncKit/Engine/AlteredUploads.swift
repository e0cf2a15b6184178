/// Finds files that a remote stored in an altered form, as servers do that change line ends. Otherwise the next pass would
/// merge a file with its own altered copy, and each merge would be altered again.
struct AlteredUploads {
  let parts: PassParts

  /// Returns the plan in which such files stay unchanged on both sides.
  func leftAlone(in plan: Plan) async throws(SyncError) -> Plan {
    var plan = plan
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
