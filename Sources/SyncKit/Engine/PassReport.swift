/// What a pass over one remote did, and what it left.
public struct PassReport: Sendable {
  /// The name of the remote.
  public var remote: String
  /// The result that the exit status follows from.
  public var result: PassResult = .synced
  /// What was done and what was not, in the order in which it ended; at most as many as the options allow.
  public private(set) var actions: [Action] = []
  /// The number of actions by kind and result.
  public private(set) var counts = Counts()
  /// How many files were changed in which way, also those that found no room in `actions`.
  public private(set) var effects: [Effect: Int] = [:]
  private let actionLimit: Int
  /// Further notices for the user: links that were not followed, a remote that is met for the first time again.
  public var notices: [String] = []
  /// Why the pass ended early, if it did.
  public var failure: SyncError?
  /// What waits for a person.
  public var hold: Hold?
  /// The number of unresolved conflicts.
  public var openConflicts = 0
  /// Bytes that were written to the remote, and to the store.
  public var bytes = Traffic()
  /// The duration of the pass in seconds.
  public var seconds = 0.0
  /// True if something could not be resolved in this pass and may be in the next.
  public var wantsAnotherPass = false
  /// True if something can be resolved only a little later: a file that another program is writing, an absence that
  /// a single listing does not prove. What failed, and fails in every round of a run, is not a reason to wait.
  public var wantsSecondCheck = false

  /// The bytes that a pass wrote.
  public struct Traffic: Hashable, Sendable {
    /// Bytes written to the remote.
    public var up = 0
    /// Bytes written to the store.
    public var down = 0

    public init() {}
  }

  /// What was done to a file, and where.
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

  /// How many actions of each kind ended well, and how many paths failed or wait.
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
    /// Paths that wait for a later pass.
    public var waiting = 0
  }

  public init(remote: String, actionLimit: Int = .max) {
    self.remote = remote
    self.actionLimit = actionLimit
  }

  /// The report of a pass that could not even begin.
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
  var isUnsettled: Bool { failure == nil && wantsSecondCheck }

  /// True if a path was left in another state than planned.
  var leftSomething: Bool { counts.held + counts.failed + counts.waiting > 0 }

  /// The report of this pass and the one after it: what was done in both, and what the later one left.
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

  /// Takes an action into the account.
  public mutating func record(_ action: Action) {
    counts.add(action)
    if action.result == .done {
      effects[Effect(action.kind, action.to), default: 0] += 1
      didSomething = true
      changedStore = changedStore || action.to != .remote
    }
    if actions.count < actionLimit { actions.append(action) }
  }
}

extension PassReport.Counts {
  /// What was done, without what was left.
  fileprivate var done: Self {
    var done = self
    (done.held, done.failed, done.waiting) = (0, 0, 0)
    return done
  }

  fileprivate static func + (a: Self, b: Self) -> Self {
    Self(
      copied: a.copied + b.copied, merged: a.merged + b.merged, removed: a.removed + b.removed,
      conflicts: a.conflicts + b.conflicts, held: a.held + b.held, failed: a.failed + b.failed,
      waiting: a.waiting + b.waiting)
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

/// How a pass ended, from the best result to the worst: of several remotes, the worst one decides.
public enum PassResult: Sendable, CaseIterable, Comparable {
  case synced
  /// Nothing is left but edits that wait for another program.
  case waiting
  /// Something needs a second check, for which this run had no time.
  case unsettled
  case timedOut
  case conflicts
  case failed
  case unreachable
  case unauthorized
  /// Deletions are held, a side has vanished or was emptied, or it is the wrong disk.
  case held
  case damaged

  /// What an error that ended a pass means for its remote.
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
