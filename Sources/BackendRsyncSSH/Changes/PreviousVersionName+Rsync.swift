internal import SyncKit

extension PreviousVersionName {
  /// Returns a suffix for one batch of `device`.
  static func suffix(for device: Device, _ runtime: Runtime, isExclusive: Bool) -> String {
    suffix(device: tag(device), runtime, isMoved: isExclusive)
  }

  /// Returns the suffix of the previous version that `device` keeps at `path`; nil for any other name.
  static func suffix(of path: SyncPath, keptBy device: Device) -> String? { suffix(of: path, keptBy: tag(device)) }

  /// Returns the staging folder of the transfer with this suffix; nil if files are replaced in place.
  static func staging(for suffix: String) -> SyncPath? { linkedSuffix(for: suffix).flatMap { SyncPath($0) } }

  /// Returns the file whose previous version is kept at `path` under `suffix`.
  static func file(keptAt path: SyncPath, under suffix: String) -> SyncPath? {
    path.sibling(path.name.dropLast(suffix.utf8.count))
  }

  private static func tag(_ device: Device) -> String { Digest(of: Array(device.id.utf8)).short }
}
