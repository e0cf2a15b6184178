public import Logging

extension Storage {
  /// Returns the storage with the layers of a remote: no file may be larger than listed, contents pass at a limited rate,
  /// unconfirmed uploads are read back, every verb is logged, and read-only verbs are retried while the storage is unavailable.
  /// Encryption is a further layer around this.
  public func layered(
    attempts: Int = 4, traffic: TrafficLimit = .none, runtime: Runtime = .real, logger: Logger
  ) -> any Storage {
    bounded().limited(to: traffic, runtime: runtime).verified().logged(to: logger)
      .retrying(attempts: attempts, runtime: runtime)
  }

  /// Returns the storage with a limited rate of transfers, see `LimitedStorage`.
  public func limited(to traffic: TrafficLimit, runtime: Runtime) -> any Storage {
    traffic.isUnlimited(.up) && traffic.isUnlimited(.down)
      ? self : LimitedStorage(storage: self, limit: traffic, runtime: runtime)
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
