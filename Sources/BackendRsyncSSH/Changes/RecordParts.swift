internal import SyncKit

/// The parts of a journal record, each after its length in two bytes.
enum RecordParts {
  static func encoded(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
  }

  /// Returns nil if the record does not consist of parts.
  static func decoded(_ record: ArraySlice<UInt8>) -> [[UInt8]]? {
    var (parts, rest) = ([[UInt8]](), record)
    while !rest.isEmpty {
      guard rest.count >= 2 else { return nil }
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      guard rest.count >= 2 + length else { return nil }
      parts.append(Array(rest.dropFirst(2).prefix(length)))
      rest = rest.dropFirst(2 + length)
    }
    return parts
  }
}
