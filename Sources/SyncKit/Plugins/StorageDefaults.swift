/// The defaults of the contract. An implementation that conforms to it gets the optional parts supplied; a layer around a
/// storage conforms to `Storage` or `Replica` alone, so that it cannot forget to forward a member.
public protocol StorageDefaults: Storage {}

extension StorageDefaults {
  public func createRoot() async throws(SyncError) {}

  public func recover() async throws(SyncError) {}

  public func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  public func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await list(since: Known())
    return [Finding(.good, "\(address) is reachable and holds \(listing.count.counted("file"))")]
      + listing.unread.compactMap { part in
        guard case .failed(let reason) = part.reason else { return nil }
        return Finding(.problem, "cannot read \(part.path): \(reason)")
      }
  }
}

extension StorageDefaults where Self: Replica {
  @discardableResult public func stamp(generation: Int) async throws(SyncError) -> Bool { false }

  public func recorded(_ agreements: [Agreement]) async throws(SyncError) {}
}
