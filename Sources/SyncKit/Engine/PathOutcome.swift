/// The result of applying one change so far.
struct PathOutcome {
  /// The revision that each side has at the path now.
  private(set) var revisions: [Side: Revision] = [:]
  /// The reason why the change is incomplete; nil if it is complete.
  var problem: (result: Action.Result, detail: String)?
  /// The sides that were written.
  private(set) var written: Set<Side> = []
  private(set) var wantsAnotherPass = false
  private(set) var wantsSecondCheck = false
  /// True if the remote has accepted the change as a request, and presents it already.
  private(set) var isRequest = false

  static let received = "the remote has received it and will show it later"

  init(of change: PathChange) {
    for side in Side.allCases {
      if case .stands(let revision?) = change[side] { revisions[side] = revision }
    }
  }

  /// Adds what a side answered to the change.
  mutating func update(with result: WriteResult, on side: Side, _ options: PassOptions) {
    switch result {
    case .done(let entry):
      revisions[side] = entry?.provenRevision
      written.insert(side)
    case .accepted(let entry?):
      revisions[side] = entry.provenRevision
      written.insert(side)
      isRequest = true
    case .accepted(nil): problem = (.waiting, Self.received)
    case .cannot(let reason): problem = (.failed, reason)
    case .postponed(let reason): problem = (.waiting, reason)
    case .refused:
      problem = (.waiting, "the \(side.word) has changed meanwhile; the next pass checks again")
      (wantsAnotherPass, wantsSecondCheck) = (true, true)
    case .unknown(let error):
      // The next pass of this run checks again; until then, the run is not clean.
      let isLost = error.found == nil
      problem = (
        .failed,
        isLost ? "the response was lost (\(error.message)); the next pass checks the result" : options.describe(error)
      )
      wantsAnotherPass = true
    case .failed(let error): problem = (.failed, options.describe(error))
    }
  }
}
