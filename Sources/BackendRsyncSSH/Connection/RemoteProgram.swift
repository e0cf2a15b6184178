internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// The stream of bytes to and from a command or a subsystem on the remote host.
final class RemoteProgram: ByteStream {
  private let process: any RemoteProcess

  init(_ process: any RemoteProcess) { self.process = process }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    // A command that reads no more is read to its end: its output says why.
    do throws(SyncError) { _ = try process.write(bytes) } catch { throw .stream(error) }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try process.nextOutput() } catch { throw .stream(error) }
  }

  /// Waits for the end if the command may finish, otherwise breaks it off.
  func end(isComplete: Bool) -> CommandExit {
    process.end(isComplete: isComplete)
    return CommandExit(status: process.exitStatus, errorLines: process.errorLines)
  }
}

/// How a command ended.
struct CommandExit: Hashable, Sendable {
  /// Its exit status; nil if it has none.
  var status: Int?
  /// The error output of the command and of what started it, line by line.
  var errorLines: [String]

  /// The errors among the lines that rsync reported of files and folders.
  var complaints: [Complaint] { errorLines.compactMap(Complaint.init) }
}
