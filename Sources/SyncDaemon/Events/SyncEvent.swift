import SyncKit

/// An event of a remote, for people and programs. Texts have no control characters.
struct SyncEvent: Codable, Hashable, Sendable {
  var kind: EventKind
  var remote: String
  /// One line for people.
  var message: String
  private var nanoseconds: Int64
  /// The number of the pass.
  var pass: Int
  /// The result of the pass.
  var result: String
  /// The files that the event is about, at most ``fileLimit``.
  var files: [File]
  /// The number of all files that the event is about.
  var fileCount: Int
  /// The number of similar events since the last one that were not sent.
  var leftOut = 0

  /// The maximum number of files in an event.
  static let fileLimit = 1_000

  /// A file that the event is about.
  struct File: Codable, Hashable, Sendable {
    var path: String
    var action: String
    var to: String
    var result: String
    var detail: String

    init(_ action: Action) {
      path = "\(action.path)"
      self.action = action.kind.rawValue
      to = action.to.rawValue
      result = action.result.rawValue
      detail = action.detail
    }
  }

  init(_ kind: EventKind, _ message: String, in report: PassReport, pass: Int, at time: Timestamp) {
    self.kind = kind
    self.message = message.printableLine
    remote = report.remote
    result = report.result.word
    self.pass = pass
    nanoseconds = time.nanoseconds
    let actions = report.actions.filter { kind.concerns($0) }
    files = actions.prefix(Self.fileLimit).map(File.init)
    fileCount = actions.count
  }

  /// The time of the event.
  var time: Timestamp { Timestamp(nanoseconds: nanoseconds) }

  /// The event as the document `on-event`.
  var json: JSON {
    [
      "version": 1, "event": .string(kind.rawValue), "time": .string("\(CivilTime(time))"), "remote": .string(remote),
      "message": .string(message), "pass": .integer(pass), "result": .string(result),
      "files": .array(files.map(\.json)), "file-count": .integer(fileCount), "left-out": .integer(leftOut),
    ]
  }

  /// An event for each file, at most `limit`; the last one has the number of those left out. The event itself if it is about no
  /// file.
  func split(limit: Int) -> [SyncEvent] {
    guard !files.isEmpty else { return [self] }
    var events = files.prefix(limit).map { file in
      var event = self
      event.files = [file]
      event.fileCount = 1
      return event
    }
    events[events.count - 1].leftOut = fileCount - events.count
    return events
  }
}

extension SyncEvent.File {
  var json: JSON {
    [
      "path": .string(path), "action": .string(action), "to": .string(to), "result": .string(result),
      "detail": .string(detail),
    ]
  }
}

extension EventKind {
  /// Returns true if an event of this kind is about the file of an action.
  fileprivate func concerns(_ action: Action) -> Bool {
    switch self {
    case .changed: action.result == .done && action.kind != .forget && action.kind != .hold
    case .conflict: action.kind == .conflict
    case .held: action.kind == .hold
    case .failed: action.result == .failed
    case .synced, .stale, .login: false
    }
  }
}
