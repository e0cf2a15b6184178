/// What all tables of a file share while it is read.
final class SettingsReading {
  let environment: SettingsEnvironment
  private(set) var mistakes: [Diagnostic]
  /// What cannot be read may be what is missing, so that a file with wrong syntax has nothing missing.
  let reportsMissing: Bool

  init(_ environment: SettingsEnvironment, mistakes: [Diagnostic]) {
    self.environment = environment
    self.mistakes = mistakes
    reportsMissing = mistakes.isEmpty
  }

  func report(_ mistakes: [Diagnostic]) {
    self.mistakes += mistakes
  }
}
