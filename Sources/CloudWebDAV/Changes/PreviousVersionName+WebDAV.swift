internal import SyncKit

extension PreviousVersionName {
  private static let longest = 250

  /// A name beside `path` that no other device chooses. It omits the name of the file if there is no room for it, which only
  /// concerns the longest names.
  static func beside(_ path: SyncPath, device: String, _ runtime: Runtime) -> SyncPath? {
    let suffix = Array(suffix(device: device, runtime, isMoved: true).utf8)
    let name = Array(path.name) + suffix
    return path.sibling(name.count <= longest ? name : suffix)
  }
}
