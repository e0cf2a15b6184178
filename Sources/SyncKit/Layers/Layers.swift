public import Logging

extension Storage {
  /// The storage as a remote uses it: every verb is logged, no more than so many run at once, and what is harmless to
  /// repeat is repeated when the place does not answer. Around it goes `encrypted`, where the settings say so.
  public func layered(
    parallelism: Int? = nil, attempts: Int = 4, world: World = .real, logger: Logger
  ) -> any Storage {
    logged(to: logger).retrying(attempts: attempts, world: world).limited(to: parallelism)
  }

  /// The storage with at most so many requests at once.
  func limited(to parallelism: Int?) -> any Storage {
    guard let parallelism else { return self }
    return LimitedStorage(storage: self, parallelism: parallelism)
  }

  /// The storage with a line in the log for each verb.
  func logged(to logger: Logger) -> any Storage { LoggedStorage(storage: self, logger: logger) }

  /// The storage with up to so many attempts at everything that only reads.
  func retrying(attempts: Int, world: World) -> any Storage {
    RetryingStorage(storage: self, attempts: attempts, world: world)
  }
}
