import CPOSIX

/// The port that was chosen first, so that other devices find this one at the same address. Losing it costs only that.
struct PortFile {
  let folder: String

  private var path: String { folder + "/port" }

  func read() -> UInt16 {
    let file = unsafe posix_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe CPOSIX.read(file, &buffer, buffer.count)
    return UInt16(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)) ?? 0
  }

  func write(_ port: UInt16) {
    let file = unsafe posix_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    let text = Array("\(port)".utf8)
    unsafe _ = CPOSIX.write(file, text, text.count)
  }
}
