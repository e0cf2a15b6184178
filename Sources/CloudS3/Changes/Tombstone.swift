internal import CurlHTTP
internal import SyncKit

/// An object in the place of a removed file, for servers that do not keep conditions on DELETE.
///
/// A conditional upload of a tombstone decides whose change is made. Every syncd treats it as absent. The DELETE that follows
/// is signed so that the server refuses it a minute after the tombstone was stored, by the server's own clock. A file is put in
/// the place of a tombstone only when that is five minutes old by the same clock, so a late DELETE cannot meet a file.
enum Tombstone {
  /// The size of every tombstone: a listed object of another size is a file.
  static let size = 149
  /// The time in seconds after which the server refuses the DELETE.
  static let expiry: Int64 = 60
  /// The age in seconds from which a tombstone can be replaced.
  static let pause: Int64 = 300

  /// The content of a tombstone with a random name.
  static func content(_ name: String, device: String) -> Content {
    let text = Array("syncd-tombstone 1 \(device.prefix(64)) \(name)".utf8)
    return Content(text + Array(repeating: UInt8(ascii: " "), count: max(0, size - 1 - text.count)) + [10])
  }

  /// True if a file may be put in the place of a tombstone.
  static func canBeReplaced(_ facts: ObjectFacts, at date: Timestamp?, _ traits: Traits) -> Bool {
    guard traits.removal != .tombstone else { return true }
    guard let date, let modified = facts.modified else { return false }
    return date.seconds - modified.seconds >= pause
  }
}
