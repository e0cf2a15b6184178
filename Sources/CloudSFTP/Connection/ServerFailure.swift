internal import SFTPWire
internal import SSHConnection
internal import SyncKit

/// Translates the failure of a conversation into an error.
struct ServerFailure {
  private let folder: RemoteFolder
  private let errorLines: [String]
  private let status: Int?

  init(_ folder: RemoteFolder, _ process: any RemoteProcess) {
    self.folder = folder
    (errorLines, status) = (process.errorLines, process.exitStatus)
  }

  func error(_ error: SFTPError) -> SyncError {
    switch error {
    case .stream(let error): error
    case .notOffered([]): notOffered
    case .notOffered(let bytes):
      SyncError(
        .invalidSettings,
        "\(folder.hostName) printed “\(Self.quote(bytes))” before sftp began; change the account's start-up files, such as "
          + "~/.bashrc, so that they print nothing for non-interactive commands")
    case .lacks(let what):
      SyncError(.invalidSettings, "the sftp server on \(folder.hostName) lacks \(what); nothing was changed")
    case .violation(let what):
      SyncError(.unexpected, "the sftp server on \(folder.hostName) broke the protocol: \(what)")
    case .brokenOff: SyncError(.unavailable, "lost the connection to \(folder.hostName)\(said)")
    }
  }

  /// The error for a stream without any output.
  private var notOffered: SyncError {
    switch SSHRefusal(errorLines) {
    case .hostKey:
      SyncError(
        .unauthorized,
        "the host key of \(folder.hostName) is unknown or has changed\(said). Connect once with `ssh` and compare the fingerprint"
      )
    case .account: SyncError(.unauthorized, "\(folder.hostName) refuses access\(said)")
    case nil:
      if lacksSubsystem || (status != 255 && !errorLines.isEmpty) {
        SyncError(.invalidSettings, "\(folder.hostName) offers no sftp\(said); enable it there, or use another remote")
      } else {
        SyncError(.unavailable, "lost the connection to \(folder.hostName)\(said)")
      }
    }
  }

  private var lacksSubsystem: Bool {
    errorLines.contains { $0.wholeMatch(of: /[Ss]ubsystem request failed on channel [0-9]+\.?/) != nil }
  }

  private var said: String {
    let message = errorLines.prefix(4).joined(separator: " / ")
    return message.isEmpty ? "" : ": \(message.prefix(1_024))"
  }

  private static func quote(_ bytes: [UInt8]) -> String {
    let line = bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).first ?? []
    return printable(line.prefix(60))
  }
}

extension SFTPError {
  /// True if the host ended the conversation.
  var isEndOfStream: Bool {
    switch self {
    case .notOffered, .brokenOff: true
    case .lacks, .violation, .stream: false
    }
  }
}
