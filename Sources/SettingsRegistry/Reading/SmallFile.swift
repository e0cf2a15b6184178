#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A small file that is read in one call.
struct SmallFile {
  /// The reason why a file was not read.
  struct Refusal: Error {
    /// The error message for people, without a full stop.
    let message: String
  }

  let path: String
  /// The maximum length in bytes.
  let sizeLimit: Int
  /// True to reject the file if anyone but its owner may read it.
  var isPrivate = false

  /// Returns the content. Throws if it is not a regular file, is too long, or is private but readable by others.
  func content() throws(Refusal) -> [UInt8] {
    // Opening a pipe without a writer must not block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    try check(descriptor)
    return try bytes(of: descriptor)
  }

  /// True if users other than the owner can read the file at `path`; false if there is none.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }

  private func check(_ descriptor: CInt) throws(Refusal) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(message: "\"\(path)\" is not a plain file")
    }
    guard !isPrivate || status.st_mode & 0o077 == 0 else {
      throw Refusal(message: "others may read \"\(path)\"; run chmod 600 on it")
    }
  }

  private func bytes(of descriptor: CInt) throws(Refusal) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      guard let part = readAvailable(descriptor) else { throw unreadable() }
      if part.isEmpty { return content }
      content += part
      guard content.count <= sizeLimit else {
        throw Refusal(message: "\"\(path)\" is larger than the limit of \(sizeLimit) B")
      }
    }
  }

  private func unreadable() -> Refusal {
    Refusal(message: "\"\(path)\" cannot be read: \(systemMessage(errno))")
  }
}

/// Reads the next bytes of `descriptor`: empty at the end; nil on failure, with the reason in `errno`.
func readAvailable(_ descriptor: CInt) -> ArraySlice<UInt8>? {
  var bytes = [UInt8](repeating: 0, count: 4096)
  var count = 0
  repeat { count = unsafe read(descriptor, &bytes, bytes.count) } while count < 0 && errno == EINTR
  return count < 0 ? nil : bytes.prefix(count)
}

/// Returns the system's message for an errno.
func systemMessage(_ number: CInt) -> String {
  unsafe String(cString: strerror(number))
}
