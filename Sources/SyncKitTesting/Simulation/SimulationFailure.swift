/// A history in which a promise was broken.
public struct SimulationFailure: Error, CustomStringConvertible {
  /// Which promise, and how.
  public let cause: String
  /// The seed of the history.
  public let seed: UInt64
  /// The steps that suffice to break it, of those that the seed stands for.
  public let steps: [Int]
  private let story: [String]

  init(_ cause: Cause, seed: UInt64, steps: [Int], of history: [Step]) {
    self.cause = cause.sentence
    self.seed = seed
    self.steps = steps
    story = steps.map { "  \($0): \(history[$0])" }
  }

  /// What happened, and the line that makes it happen again.
  public var description: String {
    """
    \(cause)
    \(story.joined(separator: "\n"))
    again: try Simulation(seed: \(seed), steps: \(steps)).run()
    """
  }

  /// A broken promise, before it is known which steps it takes.
  struct Cause: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }
}
