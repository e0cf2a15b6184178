internal import SyncKit
internal import Synchronization

/// The requests for contents of one tree that are only in a cloud.
///
/// A pass never waits for a content: it asks, and a later pass finds the file. Only a handle that was recovered asks, so that
/// neither a dry run nor a diagnosis downloads anything.
final class ContentRequests: Sendable {
  private let program: CloudProgram?
  private let root: String
  private let now: @Sendable () -> Timestamp

  private struct State {
    var isAllowed = false
    var times: [SyncPath: RequestTimes] = [:]
    var budget = RequestBudget()
  }

  private let state = Mutex(State())
  private let hasStub = Atomic(false)

  /// - Parameter root: the absolute path of the tree.
  init(_ program: CloudProgram?, root: String, now: @escaping @Sendable () -> Timestamp) {
    (self.program, self.root, self.now) = (program, root, now)
  }

  /// True if the tree's files are known to be kept by a cloud's program.
  var hasProgram: Bool { program != nil }

  /// Records that a listing found a stub.
  func noteStub() { hasStub.store(true, ordering: .relaxed) }

  /// True if a missing file may be represented by a stub: in the tree of a cloud's program, and in any other once it has had one. To
  /// look for stubs takes three calls for each created file.
  var mayHaveStubs: Bool { hasProgram || hasStub.load(ordering: .relaxed) }

  /// True if every content is to be fetched, needed or not.
  var fetchesAll: Bool { program?.fetching == .all }

  /// The name of the cloud, for messages.
  var cloud: String { program?.name ?? "a cloud" }

  /// Allows requests from now on.
  func allow() { state.withLock { $0.isAllowed = true } }

  /// Begins a pass, which may ask for a limited number of contents.
  func beginPass() { state.withLock { $0.budget = RequestBudget() } }

  /// Asks for the content of `path` unless it was asked for a short time ago; returns true if the cloud's program has the
  /// request.
  ///
  /// - Parameter stub: the path of the stub that stands for the file; nil if the file itself is there.
  @discardableResult
  func ask(for path: SyncPath, stub: SyncPath? = nil, size: Int = 0) -> Bool {
    guard let program, program.fetching != .none else { return false }
    let time = now()
    let isDue = state.withLock { state -> Bool? in
      guard state.isAllowed else { return nil }
      if let times = state.times[path], !times.isDue(at: time) { return false }
      return state.budget.take(size) ? true : nil
    }
    guard isDue == true else { return isDue != nil }
    guard program.request("\(root)/\(stub ?? path)") else { return false }
    state.withLock { $0.times[path, default: RequestTimes()].record(at: time) }
    return true
  }

  /// Returns the reason why a file without its content cannot be synced now, after asking for the content.
  func obstacle(at path: SyncPath, stub: SyncPath? = nil, size: Int = 0) -> String {
    text(at: path, isAsked: ask(for: path, stub: stub, size: size))
  }

  /// The same for a content that was asked for, or not.
  func text(at path: SyncPath, isAsked: Bool) -> String {
    "\(path) is in \(cloud) and not on this machine; "
      + (isAsked ? "its content was asked for" : "open it, or keep its folder on this machine")
  }
}

/// The times at which one content was asked for.
struct RequestTimes: Hashable, Sendable {
  private(set) var count = 0
  private var last = Timestamp(nanoseconds: .min)

  private static let minute: Int64 = 60_000_000_000

  /// The pause after the last request: 10 minutes, an hour, then a day.
  var pause: Int64 {
    switch count {
    case 0: 0
    case 1: 10 * Self.minute
    case 2: 60 * Self.minute
    default: 24 * 60 * Self.minute
    }
  }

  /// Returns true if the content may be asked for again. A clock that was set back delays nothing.
  func isDue(at time: Timestamp) -> Bool {
    count == 0 || time.nanoseconds < last.nanoseconds || time.nanoseconds - last.nanoseconds >= pause
  }

  mutating func record(at time: Timestamp) {
    count += 1
    last = time
  }
}

/// The contents that a pass may still ask for: 200 files, and 100 MB or one larger file.
struct RequestBudget: Hashable, Sendable {
  private var files = 200
  private var bytes = 100_000_000

  /// Returns false if nothing more may be asked for.
  mutating func take(_ size: Int) -> Bool {
    guard files > 0, bytes > 0 else { return false }
    files -= 1
    bytes -= size
    return true
  }
}
