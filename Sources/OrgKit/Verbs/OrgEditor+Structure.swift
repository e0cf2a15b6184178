extension OrgEditor {
  /// Carries out a verb that moves, copies or orders entries, lists or blocks.
  mutating func performOnStructure(_ verb: OrgVerb) throws(Refusal) {
    throw Refusal(.invalid, "unknown verb \(verb)")
  }

  mutating func stopClockIfDone(_ state: String?, _ heading: Int) throws(Refusal) {}

  mutating func updateClock(at position: Int) {}
}
