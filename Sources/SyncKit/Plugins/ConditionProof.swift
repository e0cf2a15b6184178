/// Tests whether an object store keeps its conditions: six requests for a temporary object, once a week.
struct ConditionProof<Store: ObjectStore>: Sendable {
  let store: Store
  let parts: RemoteParts
  private let locks = LockQueue()

  private static var key: String { "object-store.conditions" }
  private static var validity: Int64 { 7 * 86_400 }

  init(store: Store, parts: RemoteParts) {
    self.store = store
    self.parts = parts
  }

  /// Returns true if the conditions were proved to hold, within a week and at this address.
  func isKnown() async throws(SyncError) -> Bool {
    guard let record = try await parts.journal.records()[Self.key] else { return false }
    let fields = String(decoding: record, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
    guard fields.count == 2, fields[1] == store.address, let time = Int64(fields[0]) else { return false }
    let age = parts.runtime.now().seconds - time
    return age >= 0 && age < Self.validity
  }

  /// Throws `.invalidSettings` if the store does not keep its conditions.
  func require() async throws(SyncError) {
    try await locks.withLock("proof") { () throws(SyncError) in
      if try await isKnown() { return }
      try await run()
      let record = "\(parts.runtime.now().seconds) \(store.address)"
      try await parts.journal.write([Self.key: Array(record.utf8)])
    }
  }

  private func run() async throws(SyncError) {
    guard let path = SyncPath(".syncd-\(parts.runtime.uniqueName()).tmp") else { return }
    let (one, two) = (Content(Array("one\n".utf8)), Content(Array("two\n".utf8)))
    try await expect(true, "stores an object", store.put(one, at: path, if: .absent))
    let first = try await revision(of: path)
    try await expect(false, "keeps If-None-Match: *", store.put(two, at: path, if: .absent))
    let other = Condition.unchanged(Revision("\"syncd-probe\""))
    try await expect(false, "keeps If-Match", store.put(two, at: path, if: other))
    try await expect(true, "accepts its own etag", store.put(two, at: path, if: .unchanged(first)))
    try await expect(false, "keeps If-Match for a removal", store.delete(path, if: first))
    try await expect(true, "removes an object", store.delete(path, if: revision(of: path)))
  }

  private func revision(of path: SyncPath) async throws(SyncError) -> Revision {
    guard let version = try await store.head(path) else {
      throw SyncError(.unexpected, "\(store.address) has lost an object that it has just stored")
    }
    return Revision(version.etag)
  }

  private func expect(_ isDone: Bool, _ claim: String, _ change: ObjectChange) throws(SyncError) {
    if case .done = change, isDone { return }
    if change == .refused, !isDone { return }
    throw SyncError(
      .invalidSettings,
      "\(store.address) cannot be used: a test that it \(claim) failed, so an edit could be lost; nothing was written")
  }
}
