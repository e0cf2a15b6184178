internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// The byte stream of a command or subsystem on the remote host.
final class RemoteProgram: ByteStream {
  private let process: any RemoteProcess

  init(_ process: any RemoteProcess) { self.process = process }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    // If the command no longer reads, its output is still read to the end, because it contains the reason.
    do throws(SyncError) { _ = try process.write(bytes) } catch { throw .stream(error) }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try process.nextOutput() } catch { throw .stream(error) }
  }

  /// Waits for the end if the command may finish, otherwise kills it.
  func end(isComplete: Bool) -> CommandExit {
    process.end(isComplete: isComplete)
    return CommandExit(status: process.exitStatus, errorLines: process.errorLines)
  }
}

/// The result of a command.
struct CommandExit: Hashable, Sendable {
  /// Its exit status; nil if it has none.
  var status: Int?
  /// The error output of the command and of the program that started it, as lines.
  var errorLines: [String]

  /// The lines in which rsync reports errors of files and folders.
  var complaints: [Complaint] { errorLines.compactMap(Complaint.init) }
}
