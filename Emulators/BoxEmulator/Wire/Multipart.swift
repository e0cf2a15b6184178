internal import EmulatorWire
import Foundation

/// The body of an upload: `attributes` as JSON, then the bytes of the file (RFC 7578).
struct Multipart {
  var attributes: [UInt8]
  var file: [UInt8]

  /// Throws unless the call has both parts in this order.
  init(_ call: Call) throws(APIError) {
    let parts = try Self.parts(of: call)
    guard parts.first?.name == "attributes" else { throw APIError(400, "metadata_after_file_contents") }
    guard let file = parts.first(where: { $0.name == "file" }) else { throw APIError(400, "bad_request") }
    attributes = parts[0].bytes
    self.file = file.bytes
  }

  private static func parts(of call: Call) throws(APIError) -> [(name: String, bytes: [UInt8])] {
    guard let type = call.headers["content-type"], let start = type.firstRange(of: "boundary=")?.upperBound else {
      throw APIError(400, "bad_request")
    }
    let boundary = type[start...].prefix { $0 != ";" }.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    let line = Array("\r\n--\(boundary)".utf8)
    var rest = (Array("\r\n".utf8) + call.body)[...]
    var parts: [(name: String, bytes: [UInt8])] = []
    while let opening = rest.firstRange(of: line) {
      rest = rest[opening.upperBound...]
      guard let next = rest.firstRange(of: line), let part = part(rest[..<next.lowerBound]) else { break }
      parts.append(part)
    }
    return parts
  }

  private static func part(_ bytes: ArraySlice<UInt8>) -> (name: String, bytes: [UInt8])? {
    guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
    guard let name = try? /[; ]name="([^"]*)"/.firstMatch(in: head) else { return nil }
    return (String(name.1), Array(bytes[blank.upperBound...]))
  }
}
