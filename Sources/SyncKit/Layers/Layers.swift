public import Logging

extension Storage {
  /// The storage as a remote uses it: no file may be larger than it was listed, every verb is logged, and what only reads is
  /// retried when the storage is unavailable. Encryption, where the settings name one, goes around this.
  public func layered(attempts: Int = 4, runtime: Runtime = .real, logger: Logger) -> any Storage {
    bounded().logged(to: logger).retrying(attempts: attempts, runtime: runtime)
  }

  /// The storage without files that are larger than it lists.
  func bounded() -> any Storage { BoundedStorage(storage: self) }

  /// The storage with a line in the log for each verb.
  func logged(to logger: Logger) -> any Storage { LoggedStorage(storage: self, logger: logger) }

  /// The storage with up to `attempts` attempts at everything that only reads.
  func retrying(attempts: Int, runtime: Runtime) -> any Storage {
    RetryingStorage(storage: self, attempts: attempts, runtime: runtime)
  }
}
