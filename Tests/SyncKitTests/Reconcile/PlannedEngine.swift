@testable import SyncKit

/// Computes the end that the plan for a tiny state leads to, without executing it: fast enough to test every state.
enum PlannedEngine {
  private static let paths = ["x", "y", "z"].map { SyncPath(trusted: Array($0.utf8)) }
  /// The contents 1, 2 and 3; 0 means no file.
  private static let digests = ["", "one", "two", "three"].map { Digest(of: Array($0.utf8)) }
  private static let revisions = ["", "1", "2", "3"].map { Revision($0) }

  static func end(of state: TinyState) -> TinyEnd {
    let scan = scan(of: state)
    let plan = Reconcile.plan(scan, scan.differences())
    var end = TinyEnd(local: state.local, remote: state.remote)
    end.history = Set(state.base + state.local + state.remote).subtracting([0])
    for index in plan.indices { carryOut(plan, index, of: state, in: &end) }
    end.localCopies.sort()
    end.remoteCopies = end.localCopies
    return end
  }

  private static func carryOut(_ plan: Plan, _ index: Int, of state: TinyState, in end: inout TinyEnd) {
    let path = number(of: index, in: plan)
    switch plan.decisions[index] {
    case .leave, .agree, .forget, .setAside, .hold: break
    case .copy(to: .local): end.local[path] = state.remote[path]
    case .copy(to: .remote): end.remote[path] = state.local[path]
    case .remove(from: .local): end.local[path] = 0
    case .remove(from: .remote): end.remote[path] = 0
    case .merge:
      end.localCopies.append(state.remote[path])
      end.remote[path] = state.local[path]
    case .follow(let side):
      guard let origin = plan.origins[index] else { break }
      let edit = (side == .local ? state.remote : state.local)[number(of: origin, in: plan)]
      (end.local[path], end.remote[path]) = (edit, edit)
    }
  }

  private static func number(of index: Int, in plan: Plan) -> Int {
    paths.firstIndex(of: plan.path(at: index)) ?? 0
  }

  private static func scan(of state: TinyState) -> Scan {
    let base = Base(
      zip(paths, state.base).filter { $0.1 != 0 }.map { path, number in
        Agreement(
          path: path, digest: digests[Int(number)], local: revisions[Int(number)], remote: revisions[Int(number)])
      })
    return Scan(
      base: base, local: snapshot(.local, state.local, state.base, base),
      remote: snapshot(.remote, state.remote, state.base, base))
  }

  private static func snapshot(
    _ side: Side, _ files: TinyState.Files, _ agreed: TinyState.Files, _ base: Base
  ) -> Snapshot {
    var builder = SnapshotBuilder(since: Known(base, on: side))
    for (index, number) in files.enumerated() where number != 0 {
      let digest = number == agreed[index] ? nil : digests[Int(number)]
      builder.add(Entry(path: paths[index], revision: revisions[Int(number)], digest: digest))
    }
    return builder.finish(root: RootIdentity(address: "", id: "x"))
  }
}
