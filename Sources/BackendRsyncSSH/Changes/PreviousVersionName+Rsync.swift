internal import SyncKit

extension PreviousVersionName {
  /// A suffix for one batch of `device`.
  static func suffix(for device: Device, _ runtime: Runtime, isExclusive: Bool) -> String {
    suffix(device: tag(device), runtime, isMoved: isExclusive)
  }

  /// The suffix of the previous version that `device` keeps at `path`; nil for any other name.
  static func suffix(of path: SyncPath, keptBy device: Device) -> String? { suffix(of: path, keptBy: tag(device)) }

  /// The folder in which the files are staged that replace others under this suffix; nil if they are replaced in place.
  static func staging(for suffix: String) -> SyncPath? { linkedSuffix(for: suffix).flatMap { SyncPath($0) } }

  /// The file whose previous version is kept at `path` under `suffix`.
  static func file(keptAt path: SyncPath, under suffix: String) -> SyncPath? {
    path.sibling(path.name.dropLast(suffix.utf8.count))
  }

  private static func tag(_ device: Device) -> String { Digest(of: Array(device.id.utf8)).short }
}
