internal import Programs
internal import SSHConnection
internal import SyncKit

/// libssh2 as long as it gets us in, and the user's own ssh where only that can. It is used on one thread only.
final class AutomaticTransport: Transport, @unchecked Sendable {
  private let library: LibraryTransport
  private var command: ProgramTransport
  private var usesCommand = false

  init(_ library: LibraryTransport, or command: ProgramTransport) {
    self.library = library
    self.command = command
  }

  var words: String { usesCommand ? command.words : library.words }

  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> any RemoteProgram {
    if usesCommand { return try command.start(request, patience: more, stop) }
    do throws(SyncError) { return try library.start(request, patience: more, stop) } catch {
      // A host that is not the right one is none for ssh either.
      guard library.isRefused, let program = try? command.start(request, patience: more, stop) else { throw error }
      usesCommand = true
      command.reason = "the host accepts no key that libssh2 can offer"
      return program
    }
  }
}
