internal import SyncKit

/// The name of a version that was moved out of its place, and for that while has no other: the name it had, then
/// `.syncd-DEVICE-N.old.tmp`. In a listing it shows that the file is not gone.
enum KeptName {
  private static let (infix, ending) = (".syncd-", ".old.tmp")

  /// A name beside `path` that no other client chooses. Where there is no room for the name that it had, as there should be
  /// for all but the longest, it is left out.
  static func beside(_ path: SyncPath, device: String, _ world: World) -> SyncPath? {
    let suffix = Array("\(infix)\(device)-\(world.uniqueName(length: 8))\(ending)".utf8)
    let name = Array(path.name) + suffix
    return path.sibling(name.count <= longest ? name : suffix)
  }

  private static let longest = 250

  static func isOne(_ path: SyncPath) -> Bool {
    ReservedName.isTemporary(path.name) && path.name.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// The file that was moved away to `path`; nil where that is nothing of the kind.
  static func original(of path: SyncPath) -> SyncPath? {
    let name = path.name
    let start = name.indices.last { name[$0...].starts(with: infix.utf8) }
    guard isOne(path), let start else { return nil }
    return path.sibling(name[..<start])
  }
}
