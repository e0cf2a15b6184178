/// The name of a previous version that stays beside its file while the file is replaced.
///
/// `NAME.syncd-DEVICE-N.old.tmp` is the only name of a version that was moved aside: it tells a device that lists the folder
/// that the file is not gone. `NAME.syncd-DEVICE-N.tmp` is a second name of a version that keeps its own. No two changes have
/// the same N.
package enum PreviousVersionName {
  private static let (infix, ending, movedEnding) = (".syncd-", ".tmp", ".old.tmp")
  /// The number of characters of N.
  private static let uniqueLength = 8

  /// The number of bytes that are added to the name of a file, if the device has 8 letters.
  package static let addedLength = infix.utf8.count + 8 + 1 + uniqueLength + movedEnding.utf8.count

  /// Returns a suffix for the names of files in one change.
  ///
  /// - Parameter device: Letters and digits that identify the device that makes the change.
  package static func suffix(device: String, _ runtime: Runtime, isMoved: Bool) -> String {
    start(device: device) + runtime.uniqueName(length: uniqueLength) + (isMoved ? movedEnding : ending)
  }

  /// Returns true if `path` is the only name of a version that was moved aside.
  package static func isMoved(_ path: SyncPath) -> Bool { hasSuffix(path, movedEnding) }

  /// Returns true if the suffix is one of versions that are moved aside.
  package static func isMoved(suffix: String) -> Bool { suffix.hasSuffix(movedEnding) }

  /// The suffix for second names of the change whose versions are moved aside under `suffix`; nil for any other suffix.
  package static func linkedSuffix(for suffix: String) -> String? {
    isMoved(suffix: suffix) ? suffix.dropLast(movedEnding.utf8.count) + ending : nil
  }

  /// The file whose version was moved aside to `path`; nil for any other name.
  package static func original(of path: SyncPath) -> SyncPath? {
    guard isMoved(path), let start = suffixStart(path) else { return nil }
    return path.sibling(path.name[..<start])
  }

  /// The suffix of a version, moved aside or linked, that `device` keeps at `path`; nil for any other name.
  package static func suffix(of path: SyncPath, keptBy device: String) -> String? {
    guard hasSuffix(path, ending), let start = suffixStart(path), start > path.name.startIndex else { return nil }
    let suffix = String(decoding: path.name[start...], as: UTF8.self)
    return suffix.hasPrefix(Self.start(device: device)) ? suffix : nil
  }

  private static func start(device: String) -> String { "\(infix)\(device)-" }

  private static func hasSuffix(_ path: SyncPath, _ ending: String) -> Bool {
    ReservedName.isTemporary(path.name) && path.name.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// Returns the index of the last suffix of a name.
  private static func suffixStart(_ path: SyncPath) -> ArraySlice<UInt8>.Index? {
    let name = path.name
    return name.indices.last { name[$0...].starts(with: infix.utf8) }
  }
}
