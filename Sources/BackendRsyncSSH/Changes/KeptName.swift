internal import SyncKit

/// What the name of a version that was replaced ends with: `.syncd-DEVICE-N.tmp`, where no two sendings have the same N.
enum KeptName {
  private static let letters = 8
  static let length = ".syncd-".utf8.count + letters + 1 + letters + ".tmp".utf8.count

  /// A suffix for one sending.
  static func suffix(for device: Device, _ world: World) -> String {
    ".syncd-\(Digest(of: Array(device.id.utf8)).short)-\(world.uniqueName(length: letters)).tmp"
  }
}
