/// `mobileorg.org`: the phones' messages to Emacs. Parts that end with one of our note IDs are ours; all others belong to other
/// clients and stay byte for byte.
struct CaptureFile: Hashable, Sendable {
  /// A level-1 heading with its subtree, or the text before the first heading.
  struct Part: Hashable, Sendable {
    var bytes: Bytes

    var ids: [NoteID] { bytes.textLines.compactMap(NoteID.init(line:)) }
  }

  var parts: [Part] = []

  init(_ bytes: Bytes) {
    // Mixed line ends make Emacs misread edits, so carriage returns are removed.
    let text = bytes.contains(0x0D) ? bytes.withUnixLines : bytes
    var part: Bytes = []
    for line in text.textLines {
      if line.headingLevel == 1, !part.isEmpty {
        parts.append(Part(bytes: part))
        part = []
      }
      part += line + [UInt8(ascii: "\n")]
    }
    if !part.isEmpty { parts.append(Part(bytes: part)) }
  }

  /// All note IDs in the file.
  var ids: Set<NoteID> { Set(parts.flatMap(\.ids)) }

  /// True if there is nothing for Emacs to pull.
  var isBlank: Bool { parts.allSatisfy(\.bytes.isBlank) }

  /// Returns the file without the parts that have these IDs.
  func removing(_ ids: Set<NoteID>) -> CaptureFile {
    var file = self
    file.parts.removeAll { part in part.ids.contains(where: ids.contains) }
    return file
  }

  /// The text of the file; a blank one is a single newline, as Emacs leaves it after a push.
  var bytes: Bytes { isBlank ? [UInt8(ascii: "\n")] : parts.flatMap(\.bytes) }
}
