import Foundation

/// The agent of gpg.
public enum GPGAgent {
  /// Starts the agent for a home folder. gpg would start it, too, but gives up after five seconds, which a busy machine may need.
  public static func start(in home: String) throws {
    var story = ""
    for _ in 0..<24 {
      let outcome = try Command(["gpgconf", "--homedir", home, "--launch", "gpg-agent"]).run()
      if outcome.status == 0 { return }
      story = outcome.story
    }
    throw TestFailure("gpg-agent did not start: \(story)")
  }
}
