import ArchiveSQLite
internal import CPOSIX
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The status of a remote that `syncd status` shows.
public struct RemoteStatus: Hashable, Sendable {
  /// The time of the last pass that found both sides in sync or left them so.
  public var lastSuccess: Timestamp?
  /// The reason why passes have failed since then.
  public var failure: Failure?
  /// The paths that the last completed pass did not finish, each with the reason, as text.
  public var pending: [String] = []
  /// The changes that the remote's mode did not let pass in the last completed pass.
  public var ignored = IgnoredChanges()
  /// The result of the last completed pass if it did not finish something that neither a held deletion nor a conflict explains.
  public var unfinished: PassResult?

  /// An error that ended a pass.
  public struct Failure: Hashable, Sendable {
    /// The class of the error, which decides when the next pass runs.
    public var code: SyncError.Code
    /// The message, as the log shows it.
    public var message: String
    /// The time of the first pass that it ended.
    public var since: Timestamp

    public init(code: SyncError.Code, message: String, since: Timestamp) {
      self.code = code
      self.message = message
      self.since = since
    }
  }

  /// The changes that a remote's mode did not let pass.
  public struct IgnoredChanges: Hashable, Sendable {
    /// The number of files.
    public var count = 0
    /// The files, at most a thousand.
    public var files: [File] = []

    /// A file: its path as text, and what changed where.
    public struct File: Hashable, Sendable {
      /// The path in the store, as text.
      public var path: String
      /// The ignored change, in words for people.
      public var change: String
    }

    public init() {}
  }

  public init(
    lastSuccess: Timestamp? = nil, failure: Failure? = nil, pending: [String] = [],
    ignored: IgnoredChanges = IgnoredChanges(), unfinished: PassResult? = nil
  ) {
    self.lastSuccess = lastSuccess
    self.failure = failure
    self.pending = pending
    self.ignored = ignored
    self.unfinished = unfinished
  }

  /// Returns true if both sides were last in sync longer ago than `limit`, or the first pass has been failing for that long.
  public func isStale(after limit: Duration, at now: Timestamp) -> Bool {
    guard let last = lastSuccess ?? failure?.since else { return false }
    return Duration.nanoseconds(now.nanoseconds - last.nanoseconds) > limit
  }
}

extension StateFolder {
  /// The status of a remote.
  public func status(of remote: String) -> RemoteStatus {
    RemoteStatus(
      lastSuccess: StateFile.facts(seen(remote))?.modified, failure: readFailure(of: remote),
      pending: readPending(of: remote), ignored: readIgnored(of: remote), unfinished: readUnfinished(of: remote))
  }

  /// Records the result of a completed pass instead of an earlier one. Writes nothing if they are equal.
  public func recordResult(_ result: PassResult, of remote: String) throws(SyncError) {
    let unfinished = Self.unfinished.contains(result) ? result : nil
    guard unfinished != readUnfinished(of: remote) else { return }
    guard let unfinished else {
      unsafe unlink(self.unfinished(remote))
      return
    }
    try makeFolder("unfinished")
    try StateFile(self.unfinished(remote), O_WRONLY | O_CREAT | O_TRUNC).write(Array("\(unfinished)".utf8))
  }

  /// The results that nothing else in the state folder or the archive explains.
  private static let unfinished: [PassResult] = [.unsettled, .timedOut, .failed, .held]

  private func readUnfinished(of remote: String) -> PassResult? {
    guard let bytes = try? StateFile(unfinished(remote), O_RDONLY).read(atMost: 64) else { return nil }
    return Self.unfinished.first { "\($0)" == String(decoding: bytes, as: UTF8.self) }
  }

  /// Replaces the record of a pass's unfinished work. Writes nothing if it is unchanged.
  public func recordPending(_ lines: [String], of remote: String) throws(SyncError) {
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
    return String(decoding: bytes, as: UTF8.self).printable.split(separator: "\n").map(String.init)
  }

  /// Replaces the record of the changes that the remote's mode did not let pass. Writes nothing if it is unchanged.
  public func recordIgnored(_ changes: RemoteStatus.IgnoredChanges, of remote: String) throws(SyncError) {
    guard changes != readIgnored(of: remote) else { return }
    guard changes.count > 0 else {
      unsafe unlink(ignored(remote))
      return
    }
    try makeFolder("ignored")
    let lines = ["\(changes.count)"] + changes.files.map { "\($0.change)\t\($0.path)" }
    try StateFile(ignored(remote), O_WRONLY | O_CREAT | O_TRUNC).write(Array(lines.joined(separator: "\n").utf8))
  }

  private func readIgnored(of remote: String) -> RemoteStatus.IgnoredChanges {
    guard let bytes = try? StateFile(ignored(remote), O_RDONLY).read(atMost: 1 << 22) else { return .init() }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    var changes = RemoteStatus.IgnoredChanges()
    changes.count = lines.first.flatMap { Int($0) } ?? 0
    changes.files = lines.dropFirst().compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1).map { String($0).printable }
      return parts.count == 2 ? .init(path: parts[1], change: parts[0]) : nil
    }
    return changes
  }

  /// Records a successful pass as a file time, without fsync, because nothing depends on it and most passes change nothing.
  public func recordSuccess(of remote: String, at now: Timestamp) throws(SyncError) {
    clearFailure(of: remote)
    try touch(seen(remote), in: "seen", at: now)
  }

  /// Forgets the status of a remote, as before its first pass.
  func forgetStatus(of remote: String) {
    for path in [seen(remote), pending(remote), ignored(remote), unfinished(remote), failure(remote)] {
      unsafe unlink(path)
    }
  }

  /// Records that passes no longer fail.
  public func clearFailure(of remote: String) { unsafe unlink(failure(remote)) }

  /// Records the error that ended a pass. The same error again keeps the time of the first one.
  public func recordFailure(_ error: SyncError, of remote: String, at now: Timestamp) throws(SyncError) {
    if let before = readFailure(of: remote), before.code == error.code, before.message == error.explanation { return }
    try makeFolder("trouble")
    try StateFile(failure(remote), O_WRONLY | O_CREAT | O_TRUNC)
      .write(Array("\(error.code.rawValue)\n\(error.explanation)".utf8))
    try touch(failure(remote), in: "trouble", at: now)
  }

  private func seen(_ remote: String) -> String { file("seen/\(remote)") }

  private func pending(_ remote: String) -> String { file("pending/\(remote)") }

  private func ignored(_ remote: String) -> String { file("ignored/\(remote)") }

  private func unfinished(_ remote: String) -> String { file("unfinished/\(remote)") }

  private func failure(_ remote: String) -> String { file("trouble/\(remote)") }

  private func readFailure(of remote: String) -> RemoteStatus.Failure? {
    guard let since = StateFile.facts(failure(remote))?.modified,
      let bytes = try? StateFile(failure(remote), O_RDONLY).read(atMost: 1 << 16)
    else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
    guard parts.count == 2, let code = SyncError.Code(rawValue: String(parts[0])) else { return nil }
    return RemoteStatus.Failure(code: code, message: String(parts[1]).printable, since: since)
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
