/// The effect of failpoints. They are in every build, and do nothing unless the environment variable `SYNCD_FAILPOINTS` is set:
/// see ``FailpointPlan``.
extension ModuleFailpoint {
  /// Carries out the environment's action for this failpoint; normally nothing.
  public func reach() throws(SyncError) {
    try FailpointPlan.current?.reach(rawValue)
  }

  /// The same before bytes are written, which may be truncated or corrupted.
  public func reach(writing bytes: inout [UInt8]) throws(SyncError) {
    try FailpointPlan.current?.reach(rawValue, writing: &bytes)
  }
}
