/// Counts something that happens in several places.
actor Tally {
  private(set) var count = 0

  func add(_ number: Int = 1) { count += number }
}
