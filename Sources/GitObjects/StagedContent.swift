/// One content that is ready to become part of a tree.
package struct StagedContent: Sendable {
  package var id: ObjectID
  /// True if a line ends in CR LF.
  package var hasCRLF: Bool

  package init(id: ObjectID, hasCRLF: Bool) {
    self.id = id
    self.hasCRLF = hasCRLF
  }
}

extension [UInt8] {
  /// True if a line ends in CR LF.
  package var hasCRLF: Bool {
    indices.dropFirst().contains { self[$0] == 0x0A && self[$0 - 1] == 0x0D }
  }
}
