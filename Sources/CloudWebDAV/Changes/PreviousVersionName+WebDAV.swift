internal import SyncKit

extension PreviousVersionName {
  private static let longest = 250

  /// A name beside `path` that no other device chooses. The name of the file is left out if there is no room for it, as there
  /// should be for all but the longest.
  static func beside(_ path: SyncPath, device: String, _ runtime: Runtime) -> SyncPath? {
    let suffix = Array(suffix(device: device, runtime, isMoved: true).utf8)
    let name = Array(path.name) + suffix
    return path.sibling(name.count <= longest ? name : suffix)
  }
}
