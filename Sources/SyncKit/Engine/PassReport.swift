/// The report of a pass over one remote.
public struct PassReport: Sendable {
  /// The name of the remote.
  public var remote: String
  /// The result, which determines the exit status.
  public var result: PassResult = .synced
  /// The actions in the order of their ends; at most as many as the options allow.
  public private(set) var actions: [Action] = []
  /// The number of actions by kind and result.
  public private(set) var counts = Counts()
  /// The changes that the remote's mode did not let pass, in folder order; at most as many as the options allow.
  public private(set) var ignored: [IgnoredChange] = []
  /// The number of changed files by kind of change, including those that exceed the limit of `actions`.
  public private(set) var effects: [Effect: Int] = [:]
  /// In a dry run, the changes that a pass would make now, in folder order.
  public private(set) var planned: [PlannedChange] = []
  private let actionLimit: Int
  /// Further notices for the user, such as links that were not followed.
  public var notices: [String] = []
  /// The error that ended the pass early, if any.
  public var failure: SyncError?
  /// The deletions that need approval.
  public var hold: Hold?
  /// The number of unresolved conflicts.
  public var openConflicts = 0
  /// The bytes written to the remote and to the store.
  public var bytes = Traffic()
  /// The duration of the pass in seconds.
  public var seconds = 0.0
  /// True if something could not be resolved in this pass and may be in the next.
  public var wantsAnotherPass = false
  /// True if something can only be resolved a little later: a file that another program is writing, or an absence that a single
  /// listing does not prove. Failures that repeat in every round of a run are not a reason to wait.
  public var wantsSecondCheck = false

  /// The bytes that a pass wrote.
  public struct Traffic: Hashable, Sendable {
    /// Bytes written to the remote.
    public var up = 0
    /// Bytes written to the store.
    public var down = 0

    public init() {}
  }

  /// The change of a file, with the side.
  public struct Effect: Hashable, Sendable {
    /// The kind of action.
    public var kind: Action.Kind
    /// The side that was changed.
    public var target: Action.Target

    public init(_ kind: Action.Kind, _ target: Action.Target) {
      self.kind = kind
      self.target = target
    }
  }

  /// The number of successful actions of each kind, and of failed and pending paths.
  public struct Counts: Hashable, Sendable {
    /// Files copied to the other side.
    public var copied = 0
    /// Files merged.
    public var merged = 0
    /// Files removed.
    public var removed = 0
    /// Conflicts opened.
    public var conflicts = 0
    /// Deletions that are held.
    public var held = 0
    /// Paths that failed.
    public var failed = 0
    /// Paths that are pending for a later pass.
    public var waiting = 0
    /// Paths with changes that the remote's mode did not let pass.
    public var ignored = 0
  }

  public init(remote: String, actionLimit: Int = .max) {
    self.remote = remote
    self.actionLimit = actionLimit
  }

  /// Creates the report of a pass that could not begin.
  public init(remote: String, failure: SyncError) {
    self.init(remote: remote)
    self.failure = failure
    result = PassResult(failure)
  }

  /// True if anything was done.
  public private(set) var didSomething = false
  /// True if the store was changed.
  public private(set) var changedStore = false

  /// True if another check of the same files may resolve more.
  var needsSecondCheck: Bool { failure == nil && wantsSecondCheck }

  /// True if the state of a path is not as planned.
  var leftSomething: Bool { counts.held + counts.failed + counts.waiting > 0 }

  /// Returns the combined report of this pass and a later one: the actions of both, and what the later one left.
  func continued(by later: PassReport) -> PassReport {
    var report = later
    report.seconds += seconds
    report.bytes.up += bytes.up
    report.bytes.down += bytes.down
    report.notices = notices + later.notices.filter { !notices.contains($0) }
    report.counts = counts.done + later.counts
    report.effects.merge(effects, uniquingKeysWith: +)
    report.actions = Array((actions.filter { $0.result == .done } + later.actions).prefix(actionLimit))
    report.didSomething = didSomething || later.didSomething
    report.changedStore = changedStore || later.changedStore
    return report
  }

  /// Adds an action to the report.
  public mutating func record(_ action: Action) {
    counts.add(action)
    if action.result == .done {
      effects[Effect(action.kind, action.to), default: 0] += 1
      didSomething = true
      changedStore = changedStore || action.to != .remote
    }
    if actions.count < actionLimit { actions.append(action) }
  }

  /// Adds a change that a pass would make now.
  mutating func record(_ change: PlannedChange) {
    if planned.count < actionLimit { planned.append(change) }
  }

  /// Adds a change that the remote's mode did not let pass.
  mutating func record(_ change: IgnoredChange) {
    counts.ignored += 1
    if ignored.count < actionLimit { ignored.append(change) }
  }
}

extension PassReport.Counts {
  /// The counts of completed actions only.
  fileprivate var done: Self {
    var done = self
    (done.held, done.failed, done.waiting, done.ignored) = (0, 0, 0, 0)
    return done
  }

  fileprivate static func + (a: Self, b: Self) -> Self {
    Self(
      copied: a.copied + b.copied, merged: a.merged + b.merged, removed: a.removed + b.removed,
      conflicts: a.conflicts + b.conflicts, held: a.held + b.held, failed: a.failed + b.failed,
      waiting: a.waiting + b.waiting, ignored: a.ignored + b.ignored)
  }

  fileprivate mutating func add(_ action: Action) {
    switch (action.result, action.kind) {
    case (.failed, _): failed += 1
    case (.waiting, .hold): held += 1
    case (.waiting, _): waiting += 1
    case (.done, .copy): copied += 1
    case (.done, .merge): merged += 1
    case (.done, .remove): removed += 1
    case (.done, .conflict): conflicts += 1
    case (.done, .hold), (.done, .forget): break
    }
  }
}

/// The result of a pass, from best to worst: of several remotes, the worst one counts.
public enum PassResult: Sendable, CaseIterable, Comparable {
  case synced
  /// Only edits for another program are pending.
  case waiting
  /// Something needs a second check, but the run had no time.
  case unsettled
  case timedOut
  case conflicts
  case failed
  case unreachable
  case unauthorized
  /// Deletions are held, a side is missing or was emptied, or it is the wrong disk.
  case held
  case damaged

  /// The result for a remote whose pass ended with this error.
  public init(_ error: SyncError) {
    switch error.code {
    case .unavailable: self = .unreachable
    case .unauthorized: self = .unauthorized
    case .wrongReplica, .suspect: self = .held
    case .damagedState, .otherVersion: self = .damaged
    case .timedOut, .cancelled: self = .timedOut
    case .notFound, .changedMeanwhile, .pathFailed, .noSpace, .locked, .invalidSettings, .unexpected: self = .failed
    }
  }
}
