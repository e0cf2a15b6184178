/// The file `.syncd-root` in the root of a storage: it proves that the right disk is mounted, and has the generation of each
/// device's archive and the name of each device.
package struct RootMarker: Hashable, Sendable {
  /// The replica's permanent id: letters and digits.
  var id: String
  /// The generation of each device's archive, by device id.
  var generations: [String: Int] = [:]
  /// The name of each device, by device id.
  var devices: [String: String] = [:]

  /// True if the remote's files are encrypted. Then only a device with the key may write to it.
  private(set) var isEncrypted = false
  /// The first word of the line that declares encryption. The layer that encrypts defines the rest of the line.
  package static let encryptionKeyword = "sealed"

  package static let path = SyncPath(trusted: Array(ReservedName.marker.utf8))
  /// The maximum size in bytes.
  package static let maximumSize = 1 << 16

  init(id: String) { self.id = id }

  /// Parses the text of a marker; nil if it is something else.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
      $0.split(separator: " ").map(String.init)
    }
    guard let id = lines.first(where: { $0.first == "id" })?.dropFirst().first, Self.isId(id) else { return nil }
    self.id = id
    isEncrypted = lines.contains { $0.first == Self.encryptionKeyword }
    for line in lines where line.first == "generation" && line.count == 3 { generations[line[1]] = Int(line[2]) }
    for line in lines where line.first == "device" && line.count == 3 && Self.isId(line[1]) {
      // Anyone who can write to the remote may have written the name.
      devices[line[1]] = Device.name(from: line[2])
    }
  }

  private static func isId(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) }
  }

  /// The text of the marker.
  var bytes: [UInt8] {
    let lines =
      [
        "# This folder is mirrored by syncd. The file proves that the right disk is mounted; please keep it.",
        "id \(id)",
      ]
      + generations.sorted { $0.key < $1.key }.map { "generation \($0.key) \($0.value)" }
      + devices.sorted { $0.key < $1.key }.map { "device \($0.key) \($0.value)" }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}
