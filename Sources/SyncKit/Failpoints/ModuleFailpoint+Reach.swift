/// What happens at a failpoint. They are in every build and do nothing unless the environment variable
/// `SYNCD_FAILPOINTS` is set: see ``FailpointPlan``.
extension ModuleFailpoint {
  /// Does what the environment asks for at this place; nothing, as a rule.
  public func reach() throws(SyncError) {
    try FailpointPlan.current?.reach(rawValue)
  }

  /// The same, at a place where bytes are about to be written, which may be cut short or spoilt.
  public func reach(writing bytes: inout [UInt8]) throws(SyncError) {
    try FailpointPlan.current?.reach(rawValue, writing: &bytes)
  }
}
