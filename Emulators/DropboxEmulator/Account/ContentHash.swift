import Crypto

/// Dropbox's hash of a content: SHA-256 over the SHA-256 of each block of 4 MiB.
func contentHash(_ bytes: [UInt8]) -> String {
  var whole = SHA256()
  for start in stride(from: 0, to: bytes.count, by: 4 << 20) {
    let block = bytes[start..<min(start + 4 << 20, bytes.count)]
    whole.update(data: Array(SHA256.hash(data: block)))
  }
  return hexadecimal(whole.finalize())
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
