public import Logging

extension Storage {
  /// Returns the storage with the layers of a remote: no file may be larger than listed, unconfirmed uploads are read back, every
  /// verb is logged, and read-only verbs are retried while the storage is unavailable. Encryption is a further layer around this.
  public func layered(attempts: Int = 4, runtime: Runtime = .real, logger: Logger) -> any Storage {
    bounded().verified().logged(to: logger).retrying(attempts: attempts, runtime: runtime)
  }

  /// Returns the storage with limited file sizes, see `BoundedStorage`.
  func bounded() -> any Storage { BoundedStorage(storage: self) }

  /// Returns the storage with verified uploads, see `VerifiedStorage`.
  package func verified() -> any Storage { VerifiedStorage(storage: self) }

  /// Returns the storage with a log line for each verb.
  func logged(to logger: Logger) -> any Storage { LoggedStorage(storage: self, logger: logger) }

  /// Returns the storage with up to `attempts` attempts for read-only verbs.
  func retrying(attempts: Int, runtime: Runtime) -> any Storage {
    RetryingStorage(storage: self, attempts: attempts, runtime: runtime)
  }
}
