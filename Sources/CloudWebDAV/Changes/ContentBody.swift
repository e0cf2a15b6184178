internal import CurlHTTP
internal import SyncKit

/// A content as the body of a request.
///
/// The last bytes are held back until the whole content is verified: a server that receives an incomplete body discards it.
struct ContentBody: HTTPBody {
  let content: Content

  var size: Int { content.size }

  func reader() throws -> any HTTPBodyReader { Reader(content: content, source: try content.reader()) }

  private struct Reader: HTTPBodyReader {
    let content: Content
    var source: any ContentReader
    var hasher = DigestHasher()
    var size = 0
    var held: [UInt8]?
    var isDone = false

    init(content: Content, source: any ContentReader) {
      self.content = content
      self.source = source
    }

    mutating func next() async throws -> [UInt8]? {
      while !isDone {
        guard let chunk = try await source.next() else {
          isDone = true
          guard size == content.size, hasher.finish() == content.digest else {
            throw SyncError(.changedMeanwhile, "the file changed while it was sent")
          }
          break
        }
        hasher.update(chunk)
        size += chunk.count
        defer { held = chunk }
        if let held { return held }
      }
      defer { held = nil }
      return held
    }
  }
}
