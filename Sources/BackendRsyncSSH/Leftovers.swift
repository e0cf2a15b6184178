internal import RsyncWire
internal import SyncKit

/// Temporary files of an rsync that was killed: `.NAME.XXXXXX` beside NAME (`get_tmpname` in `receiver.c`). They cannot be
/// distinguished from a user's own `.NAME.backup`, so `syncd` only reports them.
struct Leftovers {
  static let message = "named like an unfinished rsync transfer"

  private let names: Set<[UInt8]>

  init(_ files: [ListedFile]) {
    // Only a name of that form makes it worth collecting all others.
    let isAny = files.contains { SyncPath(bytes: $0.name).flatMap { Self.original(of: $0) } != nil }
    names = isAny ? Set(files.map(\.name)) : []
  }

  func contains(_ path: SyncPath) -> Bool { Self.original(of: path).map { names.contains($0.bytes) } ?? false }

  /// Returns the file whose temporary file `path` would be.
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

/// Extracts the folders that could not be read from rsync's error output. They are only reported: a list with errors never
/// proves that a file is missing.
enum Unreadable {
  static func folders(in errorLines: [String], below folders: Set<SyncPath>) -> [Unread] {
    errorLines.compactMap { line in
      guard let complaint = Complaint(line), complaint.action.hasPrefix("opendir ") else { return nil }
      let folder = folders.filter(complaint.concerns).max { $0.bytes.count < $1.bytes.count }
      return folder.map { Unread($0, .failed("cannot read the folder on the remote host: \(line)")) }
    }
  }
}
