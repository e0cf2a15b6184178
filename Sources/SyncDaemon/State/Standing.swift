import ArchiveSQLite
internal import CPOSIX
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How syncing with a remote went lately, as `syncd status` tells it.
public struct Standing: Hashable, Sendable {
  /// When a pass last found both sides in sync, or left them so.
  public var lastSuccess: Timestamp?
  /// The error since then.
  public var trouble: Trouble?
  /// What the last pass that came to its end left undone: each path with the reason, as text for people.
  public var pending: [String] = []

  public struct Trouble: Hashable, Sendable {
    public var code: SyncError.Code
    public var message: String
    /// When it began.
    public var since: Timestamp

    public init(code: SyncError.Code, message: String, since: Timestamp) {
      self.code = code
      self.message = message
      self.since = since
    }
  }

  public init(lastSuccess: Timestamp? = nil, trouble: Trouble? = nil, pending: [String] = []) {
    self.lastSuccess = lastSuccess
    self.trouble = trouble
    self.pending = pending
  }
}

extension StateFolder {
  /// How syncing with a remote went lately.
  public func standing(of remote: String) -> Standing {
    Standing(
      lastSuccess: StateFile.facts(seen(remote))?.modified, trouble: readTrouble(of: remote),
      pending: readPending(of: remote))
  }

  /// Records what a pass over a remote did not sync, instead of the previous record. Writes nothing if nothing is new.
  public func notePending(_ lines: [String], of remote: String) throws(SyncError) {
    guard lines != readPending(of: remote) else { return }
    guard !lines.isEmpty else {
      unsafe unlink(pending(remote))
      return
    }
    try makeFolder("pending")
    try StateFile(pending(remote), O_WRONLY | O_CREAT | O_TRUNC).write(Array(lines.joined(separator: "\n").utf8))
  }

  private func readPending(of remote: String) -> [String] {
    guard let bytes = try? StateFile(pending(remote), O_RDONLY).read(atMost: 1 << 20) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Records a successful pass over a remote. It costs one file time and no flush: it decides nothing, and most passes
  /// find nothing to do.
  public func noteSuccess(of remote: String, at now: Timestamp) throws(SyncError) {
    forgetTrouble(of: remote)
    try touch(seen(remote), in: "seen", at: now)
  }

  /// Removes the recorded error of a remote.
  public func forgetTrouble(of remote: String) { unsafe unlink(trouble(remote)) }

  /// Records the error of a remote; the same error keeps its beginning.
  public func noteTrouble(_ error: SyncError, of remote: String, at now: Timestamp) throws(SyncError) {
    if let before = readTrouble(of: remote), before.code == error.code, before.message == error.explanation { return }
    try makeFolder("trouble")
    try StateFile(trouble(remote), O_WRONLY | O_CREAT | O_TRUNC)
      .write(Array("\(error.code.rawValue)\n\(error.explanation)".utf8))
    try touch(trouble(remote), in: "trouble", at: now)
  }

  private func seen(_ remote: String) -> String { file("seen/\(remote)") }

  private func pending(_ remote: String) -> String { file("pending/\(remote)") }

  private func trouble(_ remote: String) -> String { file("trouble/\(remote)") }

  private func readTrouble(of remote: String) -> Standing.Trouble? {
    guard let since = StateFile.facts(trouble(remote))?.modified,
      let bytes = try? StateFile(trouble(remote), O_RDONLY).read(atMost: 1 << 16)
    else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
    guard parts.count == 2, let code = SyncError.Code(rawValue: String(parts[0])) else { return nil }
    return Standing.Trouble(code: code, message: String(parts[1]), since: since)
  }

  private func makeFolder(_ name: String) throws(SyncError) {
    guard unsafe mkdir(file(name), 0o700) == 0 || errno == EEXIST else { throw SyncError(stateFile: file(name), errno) }
  }

  private func touch(_ path: String, in folder: String, at now: Timestamp) throws(SyncError) {
    if setModified(path, now) { return }
    try makeFolder(folder)
    _ = try StateFile(path, O_WRONLY | O_CREAT)
    guard setModified(path, now) else { throw SyncError(stateFile: path, errno) }
  }

  private func setModified(_ path: String, _ time: Timestamp) -> Bool {
    unsafe posix_set_modified(path, time.seconds, time.nanoseconds - time.seconds * 1_000_000_000) == 0
  }
}
