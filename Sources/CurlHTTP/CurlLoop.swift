internal import CCurl
import Synchronization

import class Foundation.Thread

/// libcurl's multi handle on a dedicated thread. All calls to libcurl happen there; other threads enqueue commands.
final class CurlLoop: Sendable {
  /// A command for the thread.
  enum Command: Sendable {
    case start(Transfer)
    /// Resumes a paused transfer.
    case resume(Transfer)
    case cancel(Transfer)
    case stop
  }

  private let commands = Mutex<[Command]>([])
  private let multi: Multi

  /// Loads libcurl, which takes some milliseconds the first time, and starts its thread.
  static func start(connections: Int) -> Result<CurlLoop, HTTPError> {
    if let reason = unsafe curl_load() { return .failure(HTTPError(.refused, unsafe String(cString: reason))) }
    return .success(CurlLoop(connections: connections))
  }

  private init(connections: Int) {
    multi = Multi(connections: connections)
    let thread = Thread { self.run() }
    thread.name = "curl"
    thread.start()
  }

  /// Enqueues a command for the thread.
  func enqueue(_ command: Command) {
    commands.withLock { $0.append(command) }
    multi.wakeUp()
  }

  /// Ends all transfers and the thread.
  func stop() { enqueue(.stop) }

  private func run() {
    let running = RunningTransfers(multi)
    while true {
      let commands = self.commands.withLock { list in
        defer { list = [] }
        return list
      }
      for command in commands {
        guard running.obey(command) else { return multi.close() }
      }
      running.perform()
      multi.wait()
    }
  }
}

/// The multi handle. Only `wakeUp` may be called from any thread.
@safe final class Multi: @unchecked Sendable {
  let handle: UnsafeMutableRawPointer
  private let isOpen = Mutex(true)

  init(connections: Int) {
    _ = Self.library
    guard let handle = unsafe curl_multi_init() else { preconditionFailure("cannot initialize libcurl") }
    unsafe self.handle = unsafe handle
    // Otherwise libcurl closes connections as soon as many are open.
    unsafe curl_multi_set_number(handle, CURLMOPT_MAXCONNECTS, connections + 4)
    unsafe curl_multi_set_number(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
  }

  /// The global initialisation of libcurl, once per process.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  func wakeUp() {
    // A closed handle must not be woken up.
    isOpen.withLock { if $0 { unsafe curl_multi_wakeup(handle) } }
  }

  /// Waits for progress, a wake-up, or a second.
  func wait() { unsafe curl_multi_poll(handle, nil, 0, 1_000, nil) }

  func close() {
    isOpen.withLock { isOpen in
      isOpen = false
      unsafe curl_multi_cleanup(handle)
    }
  }
}
