internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// Translates the failure of a command on the remote host into an error.
struct ErrorTranslator {
  private let folder: RemoteFolder
  private let exit: CommandExit

  init(_ folder: RemoteFolder, _ exit: CommandExit) {
    self.folder = folder
    self.exit = exit
  }

  /// True if `rrsync` is serving another connection.
  static func isBusy(_ exit: CommandExit) -> Bool {
    exit.errorLines.contains { $0.wholeMatch(of: /[^ ]*rrsync(?: error)?: Another instance of rrsync is .*/) != nil }
  }

  /// Returns the error for a failed exchange.
  func error(_ failure: ExchangeFailure) -> SyncError {
    switch failure {
    case .own(let error): error
    case .wire(.stream(let error as SyncError)): error
    case .wire(let error): self.error(error)
    case .sftp(.stream(.stream(let error as SyncError))): error
    case .sftp(let error): self.error(error)
    }
  }

  private func error(_ error: SFTPError) -> SyncError {
    switch error {
    case .notOffered([]) where exit == CommandExit(status: nil, errorLines: []): return brokenOff(because: "\(error)")
    case .notOffered(let bytes):
      let message = bytes.isEmpty ? said : "; it printed “\(Self.quote(bytes))”"
      return exit.status == 255 && !lacksSubsystem
        ? connectionError : cannotBeExclusive("the host offers no sftp\(message)")
    case .lacks(let what): return cannotBeExclusive("its sftp server lacks \(what)")
    case .violation(let what):
      return SyncError(
        .unexpected, "the sftp server on \(folder.hostName) broke the protocol: \(what); nothing was changed here")
    case .brokenOff, .stream: return brokenOff(because: "\(error)")
    }
  }

  private func cannotBeExclusive(_ reason: String) -> SyncError {
    SyncError(
      .invalidSettings,
      "cannot use `exclusive` with \(folder.address): \(reason). Nothing was changed. Enable it on the host, or remove "
        + "`exclusive` from this remote's settings", cause: reason)
  }

  private func error(_ error: RsyncError) -> SyncError {
    switch error {
    case .notRsync(let said):
      SyncError(
        .invalidSettings,
        "\(folder.hostName) printed “\(Self.quote(said))” before rsync started; change the account's start-up files, such as "
          + "~/.bashrc, so that they print nothing for non-interactive commands")
    case .tooOld(let version):
      SyncError(
        .invalidSettings,
        "rsync on \(folder.hostName) speaks protocol version \(version), but syncd needs 31; install rsync 3.1 or newer there and "
          + "set `rsync-path` to it. Nothing was changed")
    case .violation(.listLimit):
      SyncError(
        .unavailable, "\(folder.address) has more files and folders than `max-files` allows; nothing was changed")
    case .violation(let violation):
      SyncError(
        .unexpected,
        "rsync on \(folder.hostName) broke the protocol: \(violation.rawValue); nothing was changed here"
      )
    case .brokenOff, .remoteExit, .stream: ended(error)
    }
  }

  /// The error for a command that ended early.
  private func ended(_ error: RsyncError) -> SyncError {
    var status = exit.status
    if case .remoteExit(let announced) = error, announced > 0 { status = announced }
    switch status {
    case 126, 127:
      return SyncError(
        .invalidSettings,
        "cannot run `\(folder.program)` on \(folder.hostName); install rsync there, or set `rsync-path` to it\(said)")
    case 255: return connectionError
    case 1 where isForbidden:
      return SyncError(.unauthorized, "\(folder.hostName) does not allow this with the key in use\(said)")
    case 3, 11, 23:
      return SyncError(.unavailable, "cannot use the folder \(folder.address)\(said)")
    default: return brokenOff(because: "\(error)")
    }
  }

  private func brokenOff(because reason: String) -> SyncError {
    SyncError(
      .unavailable, "lost the connection to \(folder.hostName)\(said)",
      cause: "\(reason), exit status \(exit.status.map(String.init) ?? "none")")
  }

  private var connectionError: SyncError {
    switch SSHRefusal(exit.errorLines) {
    case .hostKey:
      SyncError(
        .unauthorized,
        "the host key of \(folder.hostName) is unknown or has changed\(said). Connect once with `ssh` and compare the fingerprint"
      )
    case .account: SyncError(.unauthorized, "\(folder.hostName) refuses access\(said)")
    case nil: SyncError(.unavailable, "cannot reach \(folder.hostName)\(said)")
    }
  }

  /// True if ssh reports that sshd does not offer the subsystem.
  private var lacksSubsystem: Bool {
    exit.errorLines.contains { $0.wholeMatch(of: /[Ss]ubsystem request failed on channel [0-9]+\.?/) != nil }
  }

  /// True if `rrsync` refused the command, or an old rsync rejected one of our options.
  private var isForbidden: Bool {
    exit.errorLines.contains { line in
      line.wholeMatch(of: /[^ ]*rrsync(?: error)?: .*/) != nil
        || line.wholeMatch(of: /rsync: on remote machine: .*: unknown option/) != nil
    }
  }

  private var said: String {
    let message = exit.errorLines.prefix(4).joined(separator: " / ")
    return message.isEmpty ? "" : ": \(message.prefix(1_024))"
  }

  private static func quote(_ bytes: [UInt8]) -> String {
    let line = bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).first ?? []
    return printable(line.prefix(60))
  }
}
