#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is read whole, so that it has to be small.
struct SmallFile {
  /// Why a file was not read.
  struct Refusal: Error {
    /// What is wrong, for a person, without a full stop.
    let message: String
  }

  let path: String
  /// How many bytes the file may have.
  let sizeLimit: Int
  /// Whether only its owner may be allowed to read it.
  var isPrivate = false

  /// The whole file; refused if it is no plain file, is too long, or others may read it though it is private.
  func content() throws(Refusal) -> [UInt8] {
    // A pipe without a writer must not keep us waiting.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    try check(descriptor)
    return try bytes(of: descriptor)
  }

  private func check(_ descriptor: CInt) throws(Refusal) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(message: "\"\(path)\" is not a plain file")
    }
    guard !isPrivate || status.st_mode & 0o077 == 0 else {
      throw Refusal(message: "others may read \"\(path)\"; allow it to its owner only (chmod 600)")
    }
  }

  private func bytes(of descriptor: CInt) throws(Refusal) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      guard let part = readAvailable(descriptor) else { throw unreadable() }
      if part.isEmpty { return content }
      content += part
      guard content.count <= sizeLimit else { throw Refusal(message: "\"\(path)\" is longer than \(sizeLimit) bytes") }
    }
  }

  private func unreadable() -> Refusal {
    Refusal(message: "\"\(path)\" cannot be read: \(systemMessage(errno))")
  }
}
