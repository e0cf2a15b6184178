#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A small file that holds a secret.
struct SecretFile {
  /// What no sensible secret is longer than.
  static let sizeLimit = 65_536

  let path: String
  /// Whether the file may be readable by others than its owner.
  var mayBeShared = false

  /// The whole file; refused if it is no plain file, is too long, or others may read it.
  func content() throws(SecretError) -> [UInt8] {
    // A pipe without a writer must not keep us waiting.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    try check(descriptor)
    return try bytes(of: descriptor)
  }

  private func check(_ descriptor: CInt) throws(SecretError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SecretError("\"\(path)\" is not a plain file")
    }
    guard mayBeShared || status.st_mode & 0o077 == 0 else {
      throw SecretError("others may read \"\(path)\"; allow it to its owner only (chmod 600)")
    }
  }

  private func bytes(of descriptor: CInt) throws(SecretError) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      guard let part = readAvailable(descriptor) else { throw unreadable() }
      if part.isEmpty { return content }
      content += part
      guard content.count <= Self.sizeLimit else { throw SecretError("\"\(path)\" is too long for a secret") }
    }
  }

  private func unreadable() -> SecretError {
    SecretError("\"\(path)\" cannot be read: \(systemMessage(errno))")
  }
}

/// The next bytes of `descriptor`, none at its end; nil if it fails, and `errno` says why.
func readAvailable(_ descriptor: CInt) -> ArraySlice<UInt8>? {
  var bytes = [UInt8](repeating: 0, count: 4096)
  var count = 0
  repeat { count = unsafe read(descriptor, &bytes, bytes.count) } while count < 0 && errno == EINTR
  return count < 0 ? nil : bytes.prefix(count)
}

/// The system's sentence for an error number.
func systemMessage(_ number: CInt) -> String {
  unsafe String(cString: strerror(number))
}
