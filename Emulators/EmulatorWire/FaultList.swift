/// A fault of the next calls of a route, as an order plans it.
package protocol PlannedFault: Decodable, Sendable {
  /// The route, or `*` for any; any if nil.
  var route: String? { get }
  /// The number of calls; 1 if nil.
  var count: Int? { get set }
}

/// The time at which a connection is closed: before or after the work is done.
package enum FaultMoment: String, Decodable, Sendable {
  case before, after
}

/// The planned faults in order.
package struct FaultList<Fault: PlannedFault>: Sendable {
  private var faults: [Fault] = []

  package init() {}

  package mutating func add(_ fault: Fault) { faults.append(fault) }

  /// Returns the fault for this call, and decrements its count.
  package mutating func take(for route: String) -> Fault? {
    guard let index = faults.firstIndex(where: { $0.route == nil || $0.route == "*" || $0.route == route }) else {
      return nil
    }
    let fault = faults[index]
    let rest = (fault.count ?? 1) - 1
    if rest > 0 { faults[index].count = rest } else { faults.remove(at: index) }
    return fault
  }
}
