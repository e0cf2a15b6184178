package import SyncKit

extension Content {
  /// Returns all bytes; throws if they do not match the announced size and digest.
  package func checkedBytes(atMost limit: Int) async throws(SyncError) -> [UInt8] {
    let bytes = try await bytes(atMost: limit)
    guard bytes.count == size, Digest(of: bytes) == digest else {
      throw SyncError(.changedMeanwhile, "the file changed while it was sent")
    }
    return bytes
  }
}
