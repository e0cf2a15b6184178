import SyncKit

/// The place of one block in the pack files: a frame that holds one or several contents.
struct BlockPlace: Hashable, Sendable {
  /// The number of the pack file.
  var pack: Int
  /// The position of the frame in the file, and its length.
  var start: Int
  var length: Int
  /// The size of the decompressed block.
  var size: Int
}

/// One content in a block.
struct BlockMember: Sendable {
  var digest: Digest
  /// The position of the content in the decompressed block, and its size.
  var start: Int
  var size: Int
}

/// A block that was appended to a pack file.
struct Block: Sendable {
  var place: BlockPlace
  var members: [BlockMember]
  /// The former content that the frame was compressed against. A block with one has a single member.
  var former: Digest?
  /// The number of former contents that must be read before this one, each after the one before it.
  var depth: Int
  /// The number of bytes to decompress in all.
  var cost: Int
}

/// What reads a content from the packs: its place in a block, after those of the former contents that the block depends on.
struct PackedContent: Sendable {
  struct Step: Sendable {
    var block: BlockPlace
    var start: Int
    var size: Int
  }

  /// The steps in the order of reading; the last one is the content.
  var steps: [Step]
  /// The number of bytes to decompress in all.
  var cost: Int

  var size: Int { steps.last?.size ?? 0 }

  /// True if this content is read before another one, so that each block is decompressed once.
  func precedes(_ other: PackedContent) -> Bool {
    let places = [self, other].map { content in
      content.steps.first.map { ($0.block.pack, $0.block.start, $0.start) } ?? (0, 0, 0)
    }
    return places[0] < places[1]
  }

  /// True if a new version may be stored as the difference from this content: so that no content takes long to read.
  var canBeFormer: Bool { steps.count <= Self.depth && cost <= Self.cost }

  /// The maximum number of differences on top of each other, and of bytes to decompress.
  private static let depth = 16
  private static let cost = 4 << 20
}
