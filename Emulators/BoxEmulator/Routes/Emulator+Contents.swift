internal import EmulatorWire
import Foundation
internal import SettingsRegistry

/// Contents: uploads in one call, and downloads.
extension Emulator {
  private struct Attributes: Decodable {
    var name: String
    var parent: Parent?
    var contentModifiedAt: String?
  }

  private struct Preflight: Decodable {
    var name: String
    var parent: Parent
    var size: Int?
  }

  func contents(_ request: Request) throws -> Reply {
    switch (request.call.method, request.parts.count) {
    case ("OPTIONS", 2): return try preflight(request)
    case ("POST", 2):
      let (attributes, bytes) = try upload(request)
      let file = try account.createFile(
        attributes.name, in: attributes.parent?.id ?? "", bytes, modified: attributes.contentModifiedAt)
      return uploaded(file)
    case ("POST", 3):
      let (attributes, bytes) = try upload(request)
      let file = try account.file(request.id)
      try request.checkMatch(file)
      return uploaded(try account.replace(file, by: bytes, modified: attributes.contentModifiedAt))
    case ("GET", 3): return try download(request)
    default: throw APIError(405, "method_not_allowed")
    }
  }

  private func preflight(_ request: Request) throws -> Reply {
    let wish: Preflight = try request.body()
    try Names.check(wish.name)
    _ = try account.folder(wish.parent.id)
    try account.checkIsFree(wish.name, in: wish.parent.id)
    try account.checkRoom(for: wish.size ?? 0)
    return Reply(
      json: ["upload_url": .string("\(request.address)/api/2.0/files/content"), "upload_token": .null])
  }

  private func upload(_ request: Request) throws -> (Attributes, [UInt8]) {
    let body = try Multipart(request.call)
    guard let attributes = try? Call.decode(body.attributes, as: Attributes.self, from: "attributes") else {
      throw APIError(400, "bad_request")
    }
    // The header has a SHA-1, whatever its name says.
    if let hash = request.call.headers["content-md5"], hash != ContentHash.hexadecimal(body.file) {
      throw APIError(400, "bad_digest")
    }
    return (attributes, body.file)
  }

  /// The answer of an upload.
  func uploaded(_ file: Item) -> Reply {
    Reply(status: 201, json: ["total_count": 1, "entries": [account.description(of: file)]])
  }

  private func download(_ request: Request) throws -> Reply {
    let file = try account.file(request.id)
    let versions = [file.version].compactMap(\.self) + file.past
    let wanted = request.query("version")
    guard let version = versions.first(where: { wanted == nil || $0.id == wanted }) else {
      throw APIError(404, "not_found")
    }
    let key = UUID().uuidString
    downloads[key] = version.bytes
    return Reply(status: 302, headers: [("Location", "\(request.address)/dl/\(key)")], body: [])
  }
}
