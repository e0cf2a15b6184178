internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file with the tokens, which only its owner can read, and whose lock only one process has at a time.
///
/// New tokens are first written to a second file, which then gets the name of the first. Its last line tells which token they
/// replace, so that a process that finds it after a crash can finish the work.
final class TokenFile: Sendable {
  private let path: String
  private let lock: CInt

  private static let pause = Duration.milliseconds(50)
  /// A process holds the lock during one exchange with Box.
  private static let patience = Duration.seconds(120)
  /// Room for the longest tokens.
  private static let size = 16 << 10

  /// Waits for the lock, which ends with this object or the process.
  init(locking path: String, _ runtime: Runtime) async throws(SyncError) {
    // Replacing a symbolic link would leave its target outdated.
    self.path = Self.resolved(path)
    lock = unsafe open(self.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Self.error(self.path) }
    let end = ContinuousClock.now + Self.patience
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else {
        throw SyncError(.unavailable, "another process renews the sign-in in \(self.path), and does not finish")
      }
      do { try await Task.sleep(for: Self.pause) } catch { throw SyncError(.cancelled, "the pass was stopped") }
    }
    try BoxFailpoint.lockTaken.reach()
  }

  deinit { if lock >= 0 { close(lock) } }

  private static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private var next: String { path + ".new" }

  /// Reserves the space for new tokens. Only then may Box be asked to replace the old ones: a full disk must not cost them.
  func reserve() throws(SyncError) {
    try write([UInt8](repeating: UInt8(ascii: "\n"), count: Self.size), truncates: false)
    try BoxFailpoint.spaceReserved.reach()
  }

  /// Gives the reserved space back.
  func discard() { _ = unsafe unlink(next) }

  /// Replaces `old` by new tokens, durably. Only then may the new ones be used.
  func store(_ new: TokenPair, insteadOf old: TokenPair) throws(SyncError) {
    try write(Array("\(new.text)\n\(Self.mark(of: old))\n".utf8), truncates: true)
    try BoxFailpoint.tokenWritten.reach()
    try publish()
    try BoxFailpoint.tokenStored.reach()
  }

  /// Finishes what a process that was killed has left; returns true if there are new tokens.
  func recover(_ old: TokenPair) throws(SyncError) -> Bool {
    guard let text = text(of: next), let new = TokenPair(text), new.access != nil,
      text.split(separator: "\n").last.map(String.init) == Self.mark(of: old)
    else { return false }
    try publish()
    return true
  }

  private static func mark(of old: TokenPair) -> String { Digest(of: Array(old.refresh.utf8)).description }

  private func publish() throws(SyncError) {
    guard unsafe rename(next, path) == 0 else { throw Self.error(path) }
    try BoxFailpoint.tokenPublished.reach()
    try syncFolder()
  }

  private func text(of path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Writes from the beginning of the new file.
  private func write(_ bytes: [UInt8], truncates: Bool) throws(SyncError) {
    let file = unsafe open(next, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw Self.error(path) }
    defer { close(file) }
    let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count, fchmod(file, 0o600) == 0, !truncates || ftruncate(file, off_t(count)) == 0,
      fsync(file) == 0
    else { throw Self.error(path) }
  }

  private func syncFolder() throws(SyncError) {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = unsafe open(end == path.startIndex ? "/" : String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.error(path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw Self.error(path) }
  }

  private static func error(_ path: String) -> SyncError {
    let reason = unsafe String(cString: strerror(errno))
    return SyncError(.unauthorized, "cannot replace the sign-in in \(path): \(reason); make its folder writable")
  }
}
