import Dispatch
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock on the state folder; if a service held it, also the connection on which the service waits until the command is
/// done.
struct Lease: Sendable {
  private let lock: InstanceLock
  private let service: ControlSocket?

  /// True if a service waits until the command is done.
  var isGuest: Bool { service != nil }

  /// The time that a service has to finish its pass.
  private static let patience = Duration.seconds(300)
  /// The interval between two attempts to lock, in microseconds.
  private static let pause: UInt32 = 20_000

  /// Acquires the lock; throws `.locked` if another process has it.
  ///
  /// - Parameter waits: true if a running service is asked to yield, and waited for.
  init(_ state: StateFolder, store: StoreConfiguration, waits: Bool) throws(SyncError) {
    do throws(SyncError) {
      lock = try InstanceLock(state, store: store)
      service = nil
    } catch {
      guard error.code == .locked, waits else { throw error }
      let notice = Self.noticeOfWaiting(state)
      defer { notice.cancel() }
      guard let service = Self.askToYield(state) else { throw error }
      self.service = service
      lock = try Self.lockInTurn(state, store)
    }
  }

  /// Prints, after a second, the reason for waiting and how to cancel.
  private static func noticeOfWaiting(_ state: StateFolder) -> DispatchWorkItem {
    let notice = DispatchWorkItem {
      let owner = InstanceLock.owner(of: state).map { " (\($0))" } ?? ""
      Console.error(
        "syncd: waiting for the service\(owner) to finish its pass; press Ctrl-C to cancel, or limit the wait with --timeout"
      )
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: notice)
    return notice
  }

  /// Acquires the lock after the service has released it. Another command may have been faster, which soon releases it.
  private static func lockInTurn(_ state: StateFolder, _ store: StoreConfiguration) throws(SyncError) -> InstanceLock {
    let end = ContinuousClock.now + patience
    while true {
      do throws(SyncError) { return try InstanceLock(state, store: store) } catch {
        guard error.code == .locked, ContinuousClock.now < end else { throw error }
      }
      usleep(pause)
    }
  }

  private static func askToYield(_ state: StateFolder) -> ControlSocket? {
    guard let socket = ControlSocket.connected(to: state) else { return nil }
    socket.setPatience(patience)
    let request: JSON = ["do": .string(ControlRequest.Command.yield.rawValue)]
    guard socket.write(line: request.line), let answer = socket.readLine(), answer == JSON.consent().line else {
      return nil
    }
    return socket
  }
}
