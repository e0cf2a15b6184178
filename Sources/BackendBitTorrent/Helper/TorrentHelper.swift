import CPOSIX
import ChildProcesses
import SyncKit
import Synchronization

import class Foundation.Thread

/// The program `syncd-torrent`, which speaks BitTorrent. It has no key, and ends when this process ends.
final class TorrentHelper: Sendable {
  /// What the helper says, until it ends.
  let events: AsyncStream<HelperEvent>
  private let child: Mutex<Child>

  /// One thread writes at a time, and one reads.
  private struct Child: @unchecked Sendable {
    let process: ChildProcess
  }

  /// Starts the helper. Throws `.invalidSettings` if the program cannot be run.
  init(program: String) throws(SyncError) {
    let process: ChildProcess
    do throws(ChildProcessError) {
      process = try ChildProcess([program], variables: ["LC_ALL": "C"], hasInput: true, hasErrors: false)
    } catch {
      throw SyncError(
        .invalidSettings,
        "cannot run `\(program)`, which the sync backend bittorrent needs: install it beside syncd, with libtorrent-rasterbar2.0"
      )
    }
    let child = Child(process: process)
    self.child = Mutex(child)
    let (events, continuation) = AsyncStream.makeStream(of: HelperEvent.self)
    self.events = events
    let thread = Thread { Self.read(child.process.output, continuation) }
    thread.name = "syncd-torrent"
    thread.start()
  }

  /// Sends a line. Does nothing if the helper has ended, which `events` report.
  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    child.withLock { child in
      var start = 0
      while start < bytes.count, child.process.input >= 0 {
        let count = unsafe bytes.withUnsafeBytes { buffer in
          unsafe write(child.process.input, buffer.baseAddress?.advanced(by: start), bytes.count - start)
        }
        if count > 0 {
          start += count
        } else if count < 0, [EAGAIN, EINTR].contains(unsafe posix_errno().pointee) {
          var full = pollfd(fd: child.process.input, events: Int16(POLLOUT), revents: 0)
          unsafe poll(&full, 1, 100)
          guard full.revents & Int16(POLLERR) == 0, child.process.isRunning else { return }
        } else {
          return
        }
      }
    }
  }

  /// Lets the helper end.
  func stop() { child.withLock { $0.process.closeInput() } }

  deinit { child.withLock { $0.process.kill() } }

  /// The longest line: a message of 64 KiB in hexadecimal digits, and more.
  private static let longestLine = 1 << 18

  private static func read(_ output: CInt, _ events: AsyncStream<HelperEvent>.Continuation) {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      unsafe poll(&ready, 1, -1)
      let count = unsafe CPOSIX.read(output, &buffer, buffer.count)
      if count < 0, [EAGAIN, EINTR].contains(unsafe posix_errno().pointee) { continue }
      guard count > 0 else { break }
      for byte in buffer[..<count] {
        if byte != UInt8(ascii: "\n") {
          if line.count < longestLine { line.append(byte) }
          continue
        }
        if let event = HelperEvent(line: String(decoding: line, as: UTF8.self)) { events.yield(event) }
        line = []
      }
    }
    events.yield(.ended)
    events.finish()
  }
}
