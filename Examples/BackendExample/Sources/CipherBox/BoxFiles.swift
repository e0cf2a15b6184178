internal import SyncKit

/// Decrypts single files `NAME.box` of the store, and encrypts them again with the same key.
struct BoxFiles: FileSealer {
  /// Reads the key when a file is decrypted, not before.
  let cipher: @Sendable () async throws(SyncError) -> BoxCipher

  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile {
    let text = try await run(sealed, through: cipher().decryptor(), atMost: limit)
    return OpenedFile(text: text, readers: ["box"], isArmored: false)
  }

  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8] {
    try await run(text, through: cipher().encryptor(label: []), atMost: .max)
  }

  private func run(
    _ bytes: [UInt8], through stream: any CipherStream, atMost limit: Int
  ) async throws(SyncError) -> [UInt8] {
    var stream = stream
    var result: [UInt8] = []
    let output: CipherOutput = { piece throws(SyncError) in
      guard result.count + piece.count <= limit else { throw SyncError(.suspect, "is larger than \(limit) B") }
      result += piece
    }
    try await stream.update(bytes, into: output)
    try await stream.finish(into: output)
    return result
  }
}
