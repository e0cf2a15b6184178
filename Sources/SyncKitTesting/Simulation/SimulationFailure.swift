/// A history in which a promise was broken.
public struct SimulationFailure: Error, CustomStringConvertible {
  /// The broken promise, and how it was broken.
  public let cause: String
  /// The seed of the history.
  public let seed: UInt64
  /// The steps of the seed's history that suffice to break it.
  public let steps: [Int]
  private let hasCommands: Bool
  private let story: [String]

  init(_ cause: Cause, seed: UInt64, hasCommands: Bool, steps: [Int], of history: [Step]) {
    self.cause = cause.sentence
    self.seed = seed
    self.hasCommands = hasCommands
    self.steps = steps
    story = steps.map { "  \($0): \(history[$0])" }
  }

  /// The failure, and the line that reproduces it.
  public var description: String {
    """
    \(cause)
    \(story.joined(separator: "\n"))
    again: try Simulation(seed: \(seed), steps: \(steps)\(hasCommands ? "" : ", hasCommands: false")).run()
    """
  }

  /// A broken promise, before the steps were reduced.
  struct Cause: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }
}
