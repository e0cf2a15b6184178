import SyncKit

/// Packs contents into blocks: small ones together, because many notes compress better than one, and a new version of a content
/// alone, as the difference from the former one.
struct BlockBuilder {
  private let writer: PackWriter
  private let reader: PackReader
  /// Receives each block that was appended.
  private let emit: (Block) throws -> Void
  private var group: [UInt8] = []
  private var members: [BlockMember] = []

  /// The size at which a block is complete. A larger one compresses better, but each read of a content decompresses its block.
  private static let complete = 128 << 10
  /// The maximum size of a block: a content of the largest size that is packed, behind others.
  static let largest = complete + HeldContents.largestInMemory
  /// The maximum size of a difference, as a part of the content.
  private static let worthwhile = 4

  init(_ writer: PackWriter, _ reader: PackReader, emit: @escaping (Block) throws -> Void) {
    self.writer = writer
    self.reader = reader
    self.emit = emit
  }

  /// True if a content waits for its block to be completed.
  func holds(_ digest: Digest) -> Bool { members.contains { $0.digest == digest } }

  /// Adds a content, which may be a new version of `former`.
  mutating func add(_ bytes: [UInt8], _ digest: Digest, after former: (Digest, PackedContent)? = nil) throws {
    if let former, try addDifference(bytes, digest, from: former.0, former.1) { return }
    if !group.isEmpty, group.count + bytes.count > Self.complete { try finish() }
    members.append(BlockMember(digest: digest, start: group.count, size: bytes.count))
    group += bytes
    if group.count >= Self.complete { try finish() }
  }

  /// Appends the last block.
  mutating func finish() throws {
    guard !members.isEmpty else { return }
    let place = try writer.append(writer.compressed(group), size: group.count)
    let block = Block(place: place, members: members, former: nil, depth: 0, cost: group.count)
    (group, members) = ([], [])
    try emit(block)
  }

  /// Appends a content as the difference from a former one. Returns false if that would not be much smaller.
  private func addDifference(
    _ bytes: [UInt8], _ digest: Digest, from formerDigest: Digest, _ former: PackedContent
  ) throws -> Bool {
    guard former.canBeFormer, !bytes.isEmpty, former.size > 0, former.size / 4 <= bytes.count,
      let formerBytes = try? reader.bytes(of: former, formerDigest), Digest(of: formerBytes) == formerDigest
    else { return false }
    let frame = try writer.compressed(bytes, against: formerBytes)
    guard frame.count <= bytes.count / Self.worthwhile else { return false }
    let place = try writer.append(frame, size: bytes.count)
    let member = BlockMember(digest: digest, start: 0, size: bytes.count)
    try emit(
      Block(
        place: place, members: [member], former: formerDigest, depth: former.steps.count,
        cost: former.cost + bytes.count))
    return true
  }
}
