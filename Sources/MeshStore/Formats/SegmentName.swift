/// An immutable file of a mesh: its name and its size.
package struct SegmentName: Hashable, Sendable {
  package var root: MerkleRoot
  package var length: UInt64

  package init(root: MerkleRoot, length: UInt64) {
    self.root = root
    self.length = length
  }
}

/// The place of a content's blob in a segment.
package struct BlobPlace: Hashable, Sendable {
  package var segment: SegmentName
  package var offset: UInt64
  package var length: UInt64

  package init(segment: SegmentName, offset: UInt64, length: UInt64) {
    self.segment = segment
    self.offset = offset
    self.length = length
  }
}
