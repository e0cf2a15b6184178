/// `mobileorg.org`: what phones want Emacs to know. Ours are the parts that end with one of our note IDs; everything else
/// is another client's and stays, byte for byte.
struct CaptureFile: Hashable, Sendable {
  /// A level-1 heading with what is below it, or the text before the first one.
  struct Part: Hashable, Sendable {
    var bytes: Bytes

    var ids: [NoteID] { bytes.textLines.compactMap(NoteID.init(line:)) }
  }

  var parts: [Part] = []

  init(_ bytes: Bytes) {
    // Mixed line ends make Emacs misread edits, so a file that has carriage returns is written with none.
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

  /// True if Emacs would find something to pull.
  var isBlank: Bool { parts.allSatisfy(\.bytes.isBlank) }

  /// The file without the parts that these IDs mark.
  func removing(_ ids: Set<NoteID>) -> CaptureFile {
    var file = self
    file.parts.removeAll { part in part.ids.contains(where: ids.contains) }
    return file
  }

  /// The text of the file; a blank one is as Emacs leaves it after a push, one newline.
  var bytes: Bytes { isBlank ? [UInt8(ascii: "\n")] : parts.flatMap(\.bytes) }
}
