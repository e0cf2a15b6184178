extension ServerQuirk {
  /// The checks that no storage or replica based on a `FileTree` can pass: see section 5.1 of `docs/reliability.md`.
  public static let fileTree = [CheckID.writeRace, .removalRace].map {
    ServerQuirk(
      check: $0,
      "two of three writers that replace a file in the same instant both exchange it back, and the last one of them may put an "
        + "older version in place; all versions are kept")
  }
}
