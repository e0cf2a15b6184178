package import SyncKit

/// What a device needs to rebuild a segment if it has the former versions of its contents: the salt, the table, and how the contents
/// differ from those versions. So an edit of a large file is a small message.
///
/// A segment is a function of these, so the rebuilt one has the same root. A wrong recipe makes a segment that no head names.
package struct SegmentRecipe: Hashable, Sendable {
  /// One content: a former one whose middle was replaced.
  package struct Part: Hashable, Sendable {
    /// The digest of the former content; nil if `middle` is all of the new one.
    package var base: Digest?
    /// The number of bytes of the former content before and after `middle`.
    package var (before, after): (Int, Int)
    package var middle: [UInt8]
  }

  package var salt: [UInt8]
  /// The bytes of the table.
  package var table: [UInt8]
  /// The contents in the order of their blobs.
  package var parts: [Part]
}

extension SegmentRecipe.Part {
  /// Describes a content by what differs from a former one.
  init(_ content: [UInt8], from former: (digest: Digest, content: [UInt8])?) {
    guard let former else {
      self.init(base: nil, before: 0, after: 0, middle: content)
      return
    }
    let limit = min(content.count, former.content.count)
    var (before, after) = (0, 0)
    while before < limit, content[before] == former.content[before] { before += 1 }
    while after < limit - before,
      content[content.count - 1 - after] == former.content[former.content.count - 1 - after]
    { after += 1 }
    self.init(
      base: former.digest, before: before, after: after, middle: Array(content[before..<(content.count - after)]))
  }

  /// Returns the content.
  func content(from former: [UInt8]) throws(FormatError) -> [UInt8] {
    guard before <= former.count, after <= former.count - before else {
      throw FormatError("a recipe takes more of a content than it has")
    }
    return former[..<before] + middle + former[(former.count - after)...]
  }
}

// MARK: Format

extension SegmentRecipe {
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(salt)
    writer.write(sized: table)
    writer.write(count: parts.count)
    for part in parts {
      writer.write(byte: part.base == nil ? 0 : 1)
      if let base = part.base {
        writer.write(base.bytes)
        writer.write(count: part.before)
        writer.write(count: part.after)
      }
      writer.write(sized: part.middle)
    }
    return writer.bytes
  }

  package init(_ bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes)
    self.init(salt: try reader.read(16), table: try reader.sized(atMost: Bounds.message), parts: [])
    for _ in 0..<(try reader.count(atMost: Bounds.message)) { parts.append(try reader.part()) }
    try reader.requireEnd()
  }
}

extension ByteReader {
  fileprivate mutating func part() throws(FormatError) -> SegmentRecipe.Part {
    let flag = try byte()
    guard flag <= 1 else { throw FormatError("a part has an unknown flag") }
    var part = SegmentRecipe.Part(base: nil, before: 0, after: 0, middle: [])
    if flag == 1 {
      part.base = try digest()
      (part.before, part.after) = (try length(), try length())
    }
    part.middle = try sized(atMost: Bounds.message)
    return part
  }

  /// A number of bytes of a content that can be rebuilt.
  private mutating func length() throws(FormatError) -> Int {
    let number = try number()
    guard number <= UInt64(SegmentRecipe.largestSegment) else {
      throw FormatError("a content is too large for a recipe")
    }
    return Int(number)
  }
}

extension SegmentRecipe {
  /// The largest segment that has a recipe. Contents of more than 1 MiB have segments of their own.
  package static let largestSegment = 1 << 20
}
