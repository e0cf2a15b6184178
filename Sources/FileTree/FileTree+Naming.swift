public import SyncKit

extension FileTree {
  private static let namingKey = "tree.naming"

  /// Returns the capabilities. File systems cannot replace a file conditionally. FileTree checks the replaced version after
  /// the exchange and restores it if it is not the expected one; its moves never overwrite.
  public func capabilities() async throws(SyncError) -> Capabilities {
    Capabilities(replacement: .moves, naming: try await naming(), parallelism: 1, uploadCheck: .confirmed)
  }

  /// Returns the naming rules of the tree's file system; the platform's defaults before the root exists.
  public func naming() async throws(SyncError) -> NamingRules {
    let root: Folder
    do throws(SyncError) { root = try openRoot() } catch {
      guard error.code == .notFound else { throw error }
      return NamingRules()
    }
    return try await naming(of: root, identity(of: root))
  }

  /// Returns the naming rules of the tree. Rules that were not probed yet are the usual file system's.
  func naming(of root: Folder, _ identity: RootIdentity) async throws(SyncError) -> NamingRules {
    var rules = try await recordedNaming(of: identity) ?? NamingRules()
    rules.maximumNameLength = root.maximumNameLength
    return rules
  }

  /// Probes once which names a root treats as the same.
  func learnNaming(of tree: OpenTree) async throws(SyncError) {
    let identity = RootIdentity(address: path, id: tree.id)
    guard try await recordedNaming(of: identity) == nil, let rules = try NamingProbe(tree: tree).run() else { return }
    try await parts.journal.write([Self.namingKey: record(of: rules, at: identity)])
    state.learn(rules, of: identity)
  }

  private func recordedNaming(of identity: RootIdentity) async throws(SyncError) -> NamingRules? {
    if let rules = state.naming(of: identity) { return rules }
    guard let record = try await parts.journal.records()[Self.namingKey], record.count > 2,
      record[2...].elementsEqual((identity.id ?? "").utf8)
    else { return nil }
    let rules = NamingRules(foldsCase: record[0] == 1, foldsUnicode: record[1] == 1)
    state.learn(rules, of: identity)
    return rules
  }

  private func record(of rules: NamingRules, at identity: RootIdentity) -> [UInt8] {
    [rules.foldsCase ? 1 : 0, rules.foldsUnicode ? 1 : 0] + Array((identity.id ?? "").utf8)
  }
}
