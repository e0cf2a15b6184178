import Foundation
import RsyncWire

/// A recorded conversation with a real server, and the data that a correct decoder finds in it.
struct Trace: CustomStringConvertible, Sendable {
  let name: String

  private static let folder = URL(filePath: #filePath).appending(path: "../../Fixtures").standardizedFileURL

  static func file(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

  static func json(_ name: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: name)))
  }

  func fromServer() throws -> [UInt8] { try Self.file(name + ".s2c.bin") }
  func fromClient() throws -> [UInt8] { try Self.file(name + ".c2s.bin") }
  func facts() throws -> [String: Any] { try Self.json(name + ".json") as? [String: Any] ?? [:] }

  var description: String { name }
}

/// The fields of an entry that the tests compare, as in the notes of a trace.
struct Seen: Hashable {
  var name: [UInt8]
  var mode: String
  var size: Int64
  var seconds: Int64
  var nanoseconds: Int32
  var hash: String?

  init(_ facts: [String: Any]) {
    let hex = Array((facts["nameHex"] as? String ?? "").utf8)
    name = stride(from: 0, to: hex.count, by: 2).compactMap {
      UInt8(String(decoding: hex[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    mode =
      (facts["mode"] as? String ?? "").count == 5
      ? "folder" : (facts["mode"] as? String ?? "").hasPrefix("12") ? "link" : "file"
    size = (facts["size"] as? NSNumber)?.int64Value ?? -1
    seconds = (facts["mtime"] as? NSNumber)?.int64Value ?? -1
    nanoseconds = (facts["nsec"] as? NSNumber)?.int32Value ?? -1
    hash = facts["md5"] as? String
  }

  init(_ file: ListedFile) {
    name = file.name
    mode = "\(file.kind)"
    size = file.size
    seconds = file.seconds
    nanoseconds = file.nanoseconds
    hash = file.hash.map(hexadecimal)
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
