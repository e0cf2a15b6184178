internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place of a new content: a new file, or a new version of one.
enum UploadTarget: Hashable, Sendable {
  case new(folder: String)
  case version(of: String, etag: String)

  /// The folder or file that is the same although the etag is another.
  var key: String {
    switch self {
    case .new(let folder): "folder \(folder)"
    case .version(let file, _): "file \(file)"
    }
  }

  var etag: String? { if case .version(_, let etag) = self { etag } else { nil } }
}

/// A content on its way to Box, which can be sent again.
protocol Upload: Sendable {
  /// The hash of the content, after the first call of ``send(to:)``.
  var hash: ContentHash { get async }

  /// Sends the content; the whole file appears, or none of it.
  func send(to target: UploadTarget) async throws(SyncError) -> Outcome
}

/// The description of a file that is sent with its content.
struct FileAttributes: Sendable {
  var name: String
  var modified: Timestamp?

  func json(in folder: String? = nil) -> JSON {
    var json: JSON = ["name": .string(name)]
    if let folder { json["parent"] = ["id": .string(folder)] }
    if let modified {
      json["content_modified_at"] = .string(Date(timeIntervalSince1970: Double(modified.seconds)).ISO8601Format())
    }
    return json
  }
}

/// A content that is sent in one call.
struct SmallUpload: Upload {
  let service: Service
  let attributes: FileAttributes
  let bytes: [UInt8]
  let hash: ContentHash

  init(_ service: Service, _ attributes: FileAttributes, _ bytes: [UInt8]) {
    self.service = service
    self.attributes = attributes
    self.bytes = bytes
    hash = .of(bytes)
  }

  func send(to target: UploadTarget) async throws(SyncError) -> Outcome {
    let boundary = "syncd-\(service.runtime.uniqueName(length: 32))"
    let (path, folder): (String, String?) =
      switch target {
      case .new(let folder): ("files/content", folder)
      case .version(let file, _): ("files/\(file)/content", nil)
      }
    var request = HTTPRequest(
      "POST", "\(service.hosts.upload)/2.0/\(path)",
      headers: [
        HTTPHeader("Content-Type", "multipart/form-data; boundary=\(boundary)"),
        HTTPHeader("Content-MD5", hash.hexadecimal),
      ], body: HTTPBytes(form(boundary, attributes.json(in: folder))))
    if let etag = target.etag { request.headers.append(HTTPHeader("If-Match", etag)) }
    return try await service.change(request)
  }

  /// Box requires the description before the content.
  private func form(_ boundary: String, _ attributes: JSON) -> [UInt8] {
    let head = """
      --\(boundary)\r
      Content-Disposition: form-data; name="attributes"\r
      Content-Type: application/json\r
      \r
      \(attributes.line)\r
      --\(boundary)\r
      Content-Disposition: form-data; name="file"; filename="file"\r
      Content-Type: application/octet-stream\r
      \r

      """
    return Array(head.utf8) + bytes + Array("\r\n--\(boundary)--\r\n".utf8)
  }
}
