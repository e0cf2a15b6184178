/// The name of a version that has to stand beside another one: `NAME.conflict-YYYYMMDDTHHMMSSZ-WHO.EXT`.
///
/// It is made of facts of the version only, so that two devices which meet the same conflict name the same copy.
public enum ConflictName {
  /// The path beside `path` for its version with `digest`, which `who` made at `time`.
  ///
  /// A version without a time counts as made in 1970.
  ///
  /// - Parameter digits: how many digits of the digest follow the letters and digits of `who`; more of them where the
  ///   name is taken by another content.
  /// - Parameter limit: how many bytes the name may have.
  public static func path(
    for path: SyncPath, at time: Timestamp?, by who: String, digest: Digest, digits: Int = 4, atMost limit: Int = 255
  ) -> SyncPath {
    let (stem, ending) = split(path.name)
    let maker = who.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    let start = Array(".conflict-\(stamp(time ?? Timestamp(nanoseconds: 0)))-".utf8)
    let (who, digest) = (
      String(String.UnicodeScalarView(maker)).utf8.prefix(32), digest.description.utf8.prefix(digits)
    )
    // Where names are short, what tells the versions apart comes first.
    let tails = [start + who + digest + ending, start + digest + ending]
    let tail = tails.first { $0.count < limit } ?? start + digest
    let name = shortened(stem, to: max(1, limit - tail.count)) + tail
    return path.sibling(name) ?? path
  }

  /// The path that this one is a conflict copy of, or nil if it is none.
  static func original(of path: SyncPath) -> SyncPath? {
    let (name, mark) = (path.name, Array(".conflict-".utf8))
    guard let start = name.indices.last(where: { name[$0...].starts(with: mark) }), start > name.startIndex else {
      return nil
    }
    let rest = name[(start + mark.count)...]
    let (time, maker) = (rest.prefix(16), rest.dropFirst(16))
    guard time.count == 16, time.last == UInt8(ascii: "Z"), maker.first == UInt8(ascii: "-") else { return nil }
    let ending = maker.dropFirst().drop { $0 != UInt8(ascii: ".") }
    return path.sibling(Array(name[..<start]) + ending)
  }

  /// The name before its last dot, and the rest; a name that begins with its only dot has no ending, and neither has
  /// one whose ending would leave no room.
  private static func split(_ name: ArraySlice<UInt8>) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex, name.endIndex - dot <= 64 else {
      return (name, [])
    }
    return (name[..<dot], name[dot...])
  }

  /// The first bytes of a name, not cut inside a character.
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
