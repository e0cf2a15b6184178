import Foundation
import Testing

/// The plan is tested with all 262,144 states. Passes that execute it are tested with one state of each kind, because the
/// promises do not depend on names of paths and order of contents; with all of them if the variable `SYNCD_ALL_STATES` is set.
@Suite("Every state of three paths")
struct ReconcileExhaustiveTests {
  private static let parts = 32
  private static let states =
    ProcessInfo.processInfo.environment["SYNCD_ALL_STATES"] == nil
    ? TinyState.kinds : (0..<TinyState.count).map(TinyState.init)

  @Test("the engine ends each state as the promises allow", arguments: 0..<parts)
  func engine(part: Int) async throws {
    for index in stride(from: part, to: Self.states.count, by: Self.parts) {
      let state = Self.states[index]
      let end = try await RealEngine.end(of: state)
      let objection = ReconcileOracle.objection(to: end, of: state)
      try #require(objection == nil, "\(state) ends as \(end)")
    }
  }

  @Test("the plan of each state is one that the promises allow", arguments: 0..<parts)
  func plan(part: Int) throws {
    for number in stride(from: part, to: TinyState.count, by: Self.parts) {
      let state = TinyState(number: number)
      let end = PlannedEngine.end(of: state)
      let objection = ReconcileOracle.objection(to: end, of: state)
      try #require(objection == nil, "\(state) is planned to end as \(end)")
    }
  }

  @Test("a naive engine ends each state as the promises allow", arguments: [false, true])
  func naive(followsRenames: Bool) {
    #expect(firstMistake(of: NaiveEngine(followsRenames: followsRenames)) == nil)
  }

  @Test("a mistake of the engine is detected", arguments: NaiveEngine.Mistake.allCases)
  func mistakes(mistake: NaiveEngine.Mistake) {
    #expect(firstMistake(of: NaiveEngine(mistake: mistake)) != nil)
  }

  /// Returns the first state whose end breaks a promise, or depends on which side is called local (P6).
  private func firstMistake(of engine: NaiveEngine) -> String? {
    for state in TinyState.kinds {
      let (end, mirrored) = (engine.end(of: state), engine.end(of: state.mirrored))
      if let objection = ReconcileOracle.objection(to: end, of: state) { return "\(state): \(objection)" }
      if end.local != mirrored.local || end.localCopies != mirrored.localCopies { return "\(state) has two ends" }
    }
    return nil
  }
}
