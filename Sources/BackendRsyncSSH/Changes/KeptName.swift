internal import SyncKit

/// What the name of a version that was replaced ends with: `.syncd-DEVICE-N.tmp`, where no two sendings have the same N; and
/// in the exclusive mode, where the version itself has only that name for a while, `.syncd-DEVICE-N.old.tmp`.
enum KeptName {
  private static let letters = 8
  private static let (infix, ending, movedEnding) = (".syncd-", ".tmp", ".old.tmp")
  static let length = infix.utf8.count + letters + 1 + letters + movedEnding.utf8.count

  /// A suffix for one sending.
  static func suffix(for device: Device, _ world: World, isExclusive: Bool) -> String {
    let device = Digest(of: Array(device.id.utf8)).short
    return infix + "\(device)-\(world.uniqueName(length: letters))" + (isExclusive ? movedEnding : ending)
  }

  /// The folder where things are staged that replace others under this suffix; nil where they are not.
  static func staging(for suffix: String) -> SyncPath? {
    suffix.hasSuffix(movedEnding) ? SyncPath(suffix.dropLast(movedEnding.count) + ending) : nil
  }

  /// The file that was moved away to `path`; nil where that is nothing of the kind.
  static func original(of path: SyncPath) -> SyncPath? {
    start(path).flatMap { path.sibling(path.name[..<$0]) }
  }

  /// The suffix of what `device` has moved away to `path`; nil where that is nothing of the kind.
  static func suffix(of path: SyncPath, movedBy device: Device) -> String? {
    guard let start = start(path) else { return nil }
    let suffix = String(decoding: path.name[start...], as: UTF8.self)
    return suffix.hasPrefix(infix + Digest(of: Array(device.id.utf8)).short + "-") ? suffix : nil
  }

  /// Where the suffix of a name begins that something was moved away to.
  private static func start(_ path: SyncPath) -> ArraySlice<UInt8>.Index? {
    let name = path.name
    guard ReservedName.isTemporary(name), name.suffix(movedEnding.utf8.count).elementsEqual(movedEnding.utf8) else {
      return nil
    }
    return name.lastIndex(of: Array(infix.utf8))
  }
}

extension ArraySlice<UInt8> {
  /// Where `part` begins for the last time.
  fileprivate func lastIndex(of part: [UInt8]) -> Index? {
    indices.last { self[$0...].starts(with: part) }
  }
}
