internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// A connection with libssh2, without an ssh program. It belongs to one remote host and its thread.
struct LibraryTransport: Transport {
  let session: KeptSession

  var words: String { "with libssh2" }

  /// Whether the host is the right one and accepts no key that we can show.
  var isRefused: Bool { session.isRefused }

  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> any RemoteProgram {
    LibraryStream(try session.start(request, patience: more, stop))
  }
}

/// The conversation with a command on a channel of the connection.
private final class LibraryStream: RemoteProgram {
  private let channel: SSHChannel

  init(_ channel: SSHChannel) { self.channel = channel }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    // A command that has ended is heard out: what it said tells why.
    do throws(SyncError) { _ = try channel.write(bytes) } catch { throw .stream(error) }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try channel.read() } catch { throw .stream(error) }
  }

  func end(isComplete: Bool) -> Ending {
    channel.end(isComplete: isComplete)
    return Ending(status: channel.exitStatus, complaints: channel.complaints)
  }
}
