import Dispatch
import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs `work` until it has ended. SIGTERM and SIGINT cancel it, so that it stops after the write that it is making; a second
/// signal ends the process at once.
package func stoppingOnSignals<Value: Sendable>(
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  // The work begins when signals are noticed, so that no signal leaves it running.
  let (start, starting) = AsyncStream.makeStream(of: Never.self)
  let task = Task {
    for await _ in start {}
    return try await work()
  }
  let sources = [SIGTERM, SIGINT].map { stop(on: $0) { task.cancel() } }
  defer { for source in sources { source.cancel() } }
  starting.finish()
  return try await task.value
}

/// Calls `cancel` at the first of these signals, on a queue of its own: all threads that tasks share may be waiting for a disk. Returns
/// when signals are noticed.
private func stop(on number: Int32, _ cancel: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
  signal(number, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "signals"))
  let isStopping = Mutex(false)
  source.setEventHandler { @Sendable in
    let isSecond = isStopping.withLock { isStopping in
      defer { isStopping = true }
      return isStopping
    }
    if isSecond { _exit(128 + number) }
    cancel()
    Console.error("syncd: stopping after the current write; send a second signal to stop at once")
  }
  let isReady = DispatchSemaphore(value: 0)
  source.setRegistrationHandler { isReady.signal() }
  source.resume()
  isReady.wait()
  return source
}
