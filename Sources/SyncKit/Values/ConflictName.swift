/// The name of a conflict copy, a version beside another one: `NAME.conflict-YYYYMMDDTHHMMSSZ-AUTHOR-DIGEST.EXT`.
///
/// It depends on the version only, so that two devices with the same conflict choose the same name. The digits of the digest
/// distinguish versions of devices with the same name.
public enum ConflictName {
  /// Returns the path beside `path` for its version with `digest`, which `author` wrote at `time`; without a time, in 1970.
  ///
  /// - Parameters:
  ///   - digits: the number of the digest's digits; higher if another content has the name.
  ///   - limit: the maximum length of the name in bytes.
  public static func path(
    for path: SyncPath, at time: Timestamp?, by author: String, digest: Digest, digits: Int = 4, atMost limit: Int = 255
  ) -> SyncPath {
    let (stem, ending) = split(path.name)
    let start = Array(".conflict-\(stamp(time ?? Timestamp(nanoseconds: 0)))-".utf8)
    let author = Device.name(from: author).map { Array("\($0)-".utf8) } ?? []
    let digest = digest.description.utf8.prefix(digits)
    // If names are short, the digest comes first: it distinguishes the versions.
    let tails = [start + author + digest + ending, start + digest + ending]
    let tail = tails.first { $0.count < limit } ?? start + digest
    let name = shortened(stem, to: max(1, limit - tail.count)) + tail
    return path.sibling(name) ?? path
  }

  /// Returns the path that this one is a conflict copy of; nil if it is not a conflict copy. Former versions wrote no hyphen before
  /// the digest.
  static func original(of path: SyncPath) -> SyncPath? {
    let (name, mark) = (path.name, Array(".conflict-".utf8))
    guard let start = name.indices.last(where: { name[$0...].starts(with: mark) }), start > name.startIndex else {
      return nil
    }
    let rest = name[(start + mark.count)...]
    let (time, author) = (rest.prefix(16), rest.dropFirst(16))
    guard time.count == 16, time.last == UInt8(ascii: "Z"), author.first == UInt8(ascii: "-") else { return nil }
    let ending = author.dropFirst().drop { $0 != UInt8(ascii: ".") }
    return path.sibling(Array(name[..<start]) + ending)
  }

  /// The name before its last dot, and the rest. A name that begins with its only dot has no extension, and an extension of
  /// more than 64 bytes counts as part of the name.
  private static func split(_ name: ArraySlice<UInt8>) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex, name.endIndex - dot <= 64 else {
      return (name, [])
    }
    return (name[..<dot], name[dot...])
  }

  /// The first bytes of a name, cut between characters.
  private static func shortened(_ name: ArraySlice<UInt8>, to limit: Int) -> ArraySlice<UInt8> {
    guard name.count > limit else { return name }
    var end = name.startIndex + limit
    while end > name.startIndex, UTF8.isContinuation(name[end]) { end -= 1 }
    return name[..<end]
  }

  private static func stamp(_ time: Timestamp) -> String {
    CivilTime(time).description.filter { $0 != "-" && $0 != ":" }
  }
}
