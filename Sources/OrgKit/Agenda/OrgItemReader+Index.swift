/// What an index of a file's entries compares to see which ones have changed.
package struct OrgEntryMark: Sendable, Hashable {
  /// A hash of headline and text, without children and trailing blank lines.
  package var text: Int64
  /// A hash of what children have from the entry: level, headline and property drawer.
  package var head: Int64
  /// The number of stars.
  package var level: Int

  package init(text: Int64, head: Int64, level: Int) {
    (self.text, self.head, self.level) = (text, head, level)
  }
}

extension OrgDocument {
  /// The marks of all entries from top to bottom. Equal entries have equal marks in every process.
  package var entryMarks: [OrgEntryMark] {
    outline.nodes.indices.dropFirst().map { index in
      let section = outline.section(index)
      let rest = Planning.isOne(section.firstLine) ? section.withoutFirstLine : section
      let drawer = PropertyDrawer(at: rest)?.lines.last.map { rest[..<$0.endIndex] } ?? []
      let seed = fingerprint(outline.headline(index).span, seed: UInt64(outline.nodes[index].level))
      return OrgEntryMark(
        text: Int64(bitPattern: fingerprint(outline.entry(index).span, seed: 1)),
        head: Int64(bitPattern: fingerprint(drawer.span, seed: seed)), level: outline.nodes[index].level)
    }
  }

  /// What all items of the file depend on: the settings above the first headline, and the states.
  package var itemSettings: String {
    (settings("PRIORITIES") + fileTags + ["", settings("CATEGORY").first ?? "", ""] + todoKeywords + [""]
      + doneKeywords).joined(separator: "\u{1F}")
  }

  /// A hash of the whole file that is the same in every process.
  package var mark: Int64 { Int64(bitPattern: fingerprint(bytes.span, seed: 2)) }

  /// Returns the bytes of an entry, headline and text without children, by its place among all entries.
  package func entryBytes(_ place: Int) -> ArraySlice<UInt8> { outline.entry(place + 1) }
}

/// A hash of bytes that is the same in every process. It is not safe against forgery.
package func stableFingerprint(_ bytes: [UInt8]) -> Int64 { Int64(bitPattern: fingerprint(bytes.span, seed: 3)) }
