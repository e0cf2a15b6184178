import Foundation
internal import SettingsRegistry

/// The parts of a large file that do not belong to it yet.
struct UploadSession {
  /// The destination: a new file, or a version of an existing one.
  enum Target {
    case new(name: String, folder: String)
    case version(of: String)
  }

  struct Part {
    var id: String
    var bytes: [UInt8]
  }

  static let smallest = 20 << 20
  static let partSize = 8 << 20

  let id: String
  let target: Target
  let size: Int
  /// By offset.
  private(set) var parts: [Int: Part] = [:]

  init(_ target: Target, size: Int) {
    id = UUID().uuidString.replacingOccurrences(of: "-", with: "")
    self.target = target
    self.size = size
  }

  /// Adds a part; one that is there already cannot be replaced.
  mutating func add(_ bytes: [UInt8], at offset: Int) throws(APIError) -> JSON {
    let expected = min(Self.partSize, size - offset)
    guard offset >= 0, offset % Self.partSize == 0, bytes.count == expected else { throw APIError(400, "invalid_part") }
    guard parts[offset] == nil else { throw APIError(409, "overlapping_range") }
    let part = Part(id: String(UUID().uuidString.prefix(8)), bytes: bytes)
    parts[offset] = part
    return Self.description(of: part, at: offset)
  }

  private static func description(of part: Part, at offset: Int) -> JSON {
    [
      "part_id": .string(part.id), "offset": .integer(offset), "size": .integer(part.bytes.count),
      "sha1": .string(ContentHash.hexadecimal(part.bytes)),
    ]
  }

  var partList: JSON {
    let entries = parts.sorted { $0.key < $1.key }.map { Self.description(of: $1, at: $0) }
    return ["total_count": .integer(entries.count), "offset": 0, "limit": 1_000, "entries": .array(entries)]
  }

  /// Returns the whole content, if `offsets` names all of its parts.
  func content(of offsets: [Int]) throws(APIError) -> [UInt8] {
    let bytes = offsets.flatMap { parts[$0]?.bytes ?? [] }
    guard bytes.count == size else { throw APIError(400, "parts_mismatch") }
    return bytes
  }

  /// - Parameter address: The address of the emulator.
  func description(at address: String) -> JSON {
    let url = "\(address)/api/2.0/files/upload_sessions/\(id)"
    return [
      "type": "upload_session", "id": .string(id), "session_expires_at": "2099-01-01T00:00:00Z",
      "part_size": .integer(Self.partSize), "total_parts": .integer((size + Self.partSize - 1) / Self.partSize),
      "num_parts_processed": .integer(parts.count),
      "session_endpoints": [
        "upload_part": .string(url), "commit": .string(url + "/commit"), "abort": .string(url),
        "list_parts": .string(url + "/parts"), "status": .string(url), "log_event": .string(url + "/log"),
      ],
    ]
  }
}
