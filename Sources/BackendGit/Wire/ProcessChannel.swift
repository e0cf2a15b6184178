internal import SSHConnection
internal import SyncKit

/// The streams of a git service that runs as a process, here or on a remote host.
final class ProcessChannel: Channel {
  private let process: any RemoteProcess
  private let repository: String
  private var hasRead = false
  /// Bytes that were received but not read by libgit2 yet.
  private var unread: ArraySlice<UInt8> = []

  /// - Parameter repository: the repository's name in messages.
  init(_ process: any RemoteProcess, at repository: String) {
    self.process = process
    self.repository = repository
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    guard try unsafe process.write(Array(bytes)) else { throw ended }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    if unread.isEmpty { unread = try process.nextOutput()[...] }
    // libgit2 reports the end of the stream without a reason; git's error output contains one.
    guard !unread.isEmpty else { throw ended }
    hasRead = true
    let piece = unread.prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    unread = unread.dropFirst(piece.count)
    return piece.count
  }

  func close(isComplete: Bool) { process.end(isComplete: isComplete) }

  /// The error for a service that ended early.
  private var ended: SyncError {
    ServiceFailure(repository, errorLines: process.errorLines, hasAnswered: hasRead).error
  }
}
