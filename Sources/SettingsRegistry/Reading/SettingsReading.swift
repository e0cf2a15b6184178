/// What all tables of a file share while it is read.
final class SettingsReading {
  let environment: SettingsEnvironment
  private(set) var mistakes: [Diagnostic]
  /// Whether the syntax is right. If not, what seems to be missing may stand where it is wrong.
  let isWhole: Bool

  init(_ environment: SettingsEnvironment, mistakes: [Diagnostic]) {
    self.environment = environment
    self.mistakes = mistakes
    isWhole = mistakes.isEmpty
  }

  func report(_ mistakes: [Diagnostic]) {
    self.mistakes += mistakes
  }
}
