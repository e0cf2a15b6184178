internal import SyncKit

extension PreviousVersionName {
  private static let longest = 250

  /// Returns a unique path in the folder of `path`. It contains the file name unless the result would exceed the maximum
  /// name length.
  static func beside(_ path: SyncPath, device: String, _ runtime: Runtime) -> SyncPath? {
    let suffix = Array(suffix(device: device, runtime, isMoved: true).utf8)
    let name = Array(path.name) + suffix
    return path.sibling(name.count <= longest ? name : suffix)
  }
}
