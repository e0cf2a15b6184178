internal import RsyncWire
internal import SyncKit

/// What an rsync that was killed has left: `.NAME.XXXXXX` beside NAME (`get_tmpname` in `receiver.c`). Nothing tells it from
/// a user's own `.NAME.backup`, so `syncd` reports it.
struct Leftovers {
  static let words = "named like an unfinished rsync transfer"

  private let names: Set<[UInt8]>

  init(_ files: [ListedFile]) {
    // Only a name of that form makes it worth while to know all others.
    let isAny = files.contains { SyncPath(bytes: $0.name).flatMap { Self.original(of: $0) } != nil }
    names = isAny ? Set(files.map(\.name)) : []
  }

  func contains(_ path: SyncPath) -> Bool { Self.original(of: path).map { names.contains($0.bytes) } ?? false }

  /// The file that `path` would be the leftover of.
  private static func original(of path: SyncPath) -> SyncPath? {
    let name = path.name
    guard name.first == UInt8(ascii: "."), name.count > 8, name[name.endIndex - 7] == UInt8(ascii: "."),
      name.suffix(6).allSatisfy(isLetterOrDigit)
    else { return nil }
    return path.sibling(name.dropFirst().dropLast(7))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

/// Folders that could not be read, from what rsync said of them: `opendir "FOLDER" failed: …`. It decides nothing but what
/// the report says, because a listing with errors proves no absence anyway.
enum Unreadable {
  static func folders(in complaints: [String], below folders: Set<SyncPath>) -> [Unread] {
    complaints.compactMap { line in
      guard let start = line.firstRange(of: "opendir \""), let end = line.firstRange(of: "\" failed: ") else {
        return nil
      }
      guard start.upperBound <= end.lowerBound else { return nil }
      let name = line[start.upperBound..<end.lowerBound]
      let folder = folders.filter { name.hasSuffix("/" + $0.description) }.max { $0.bytes.count < $1.bytes.count }
      return folder.map { Unread($0, .failed("cannot read the folder: \(line[end.upperBound...])")) }
    }
  }
}
