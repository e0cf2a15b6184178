internal import SyncKit

extension SFTPStorage {
  /// Returns the traits of a server that may be written to; probes it first if it was never probed, not for a week, or announces
  /// other extensions now.
  func provenTraits() async throws(SyncError) -> Traits {
    let traits = try await state.locks.withLock(" probe") { () throws(SyncError) in
      let extensions = try await server.extensions()
      if let record = try await state.record(), record.isValid(at: parts.runtime.now()),
        record.extensions == extensions, record.traits.isSafe || settings.unsafeWrites
      {
        return record.traits
      }
      let traits = try await Probe.run(on: self)
      try await state.store(ProbeRecord(traits, at: parts.runtime.now(), extensions: extensions))
      return traits
    }
    guard traits.isSafe || settings.unsafeWrites else {
      throw SyncError(
        .invalidSettings,
        "the server of \(address) cannot keep two devices from overwriting each other's edits: \(traits.failure); nothing was "
          + "written. Use another server, or set `unsafe-writes = true` if only this device writes there",
        remedy: .diagnose(remote: parts.name))
    }
    return traits
  }
}
