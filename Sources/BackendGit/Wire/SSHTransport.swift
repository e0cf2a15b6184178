internal import Programs
internal import SSHConnection
internal import SyncKit

/// Runs the services on the remote host with libssh2, over one connection that is kept, and with the ssh program where
/// only that gets in. It is used on the mirror's thread only.
final class SSHTransport: Transport, @unchecked Sendable {
  private let place: Place
  private let session: KeptSession
  /// What goes there by the user's own ssh; nil where the settings want libssh2.
  private let program: ProgramTransport?
  private var usesProgram = false

  init(place: Place, session: KeptSession, program: ProgramTransport?) {
    self.place = place
    self.session = session
    self.program = program
  }

  var isStateless: Bool { false }

  var words: String {
    guard let program, usesProgram else { return "with libssh2" }
    return program.words + " because the host accepts no key that libssh2 can offer"
  }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    if let program, usesProgram { return try program.open(service, asksWhatThereIs: asksWhatThereIs, stop) }
    guard case .ssh(_, _, _, let path) = place else { throw SyncError(.unexpected, "not an ssh address") }
    do throws(SyncError) {
      return SSHServiceChannel(try session.start(.command(service.command(on: path)), stop), place)
    } catch {
      // A host that is not the right one is none for ssh either.
      guard let program, session.isRefused else { throw error }
      usesProgram = true
      return try program.open(service, asksWhatThereIs: asksWhatThereIs, stop)
    }
  }
}

/// A conversation with a service on a channel of the connection.
private final class SSHServiceChannel: Channel {
  private let channel: SSHChannel
  private let place: Place
  private var hasRead = false
  /// What was read and not yet asked for.
  private var unread: ArraySlice<UInt8> = []

  init(_ channel: SSHChannel, _ place: Place) {
    self.channel = channel
    self.place = place
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    guard try unsafe channel.write(Array(bytes)) else { throw ended }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    if unread.isEmpty { unread = try channel.read()[...] }
    // libgit2 takes the end of the stream for a breakdown that has no reason; what git itself said is better.
    guard !unread.isEmpty else { throw ended }
    hasRead = true
    let piece = unread.prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    unread = unread.dropFirst(piece.count)
    return piece.count
  }

  func close(isComplete: Bool) { channel.end(isComplete: isComplete) }

  /// Why the service has ended in the middle of a conversation.
  private var ended: SyncError {
    ServiceTrouble(place, channel.complaints.suffix(4).joined(separator: " / "), hasAnswered: hasRead).error
  }
}
