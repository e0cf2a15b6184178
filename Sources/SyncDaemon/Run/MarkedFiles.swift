import OrgMerging
package import SyncKit

/// Files of the store with the marks of a conflict, whichever device found it.
package enum MarkedFiles {
  /// Returns the Org files with marks, in folder order. Encrypted ones are left out, because reading them could ask for a
  /// passphrase.
  package static func all(in workspace: Workspace) async throws(SyncError) -> [SyncPath] {
    let store = try await workspace.stack.openStore()
    let filter = try await workspace.stack.filter(for: store)
    let merger = try await workspace.merger()
    var marked: [SyncPath] = []
    for path in try await store.list(since: Known(filter: filter)).changedPaths where OrgMerger.isOrg(path.name) {
      let sink = MemorySink(limit: OrgMerger.largestText)
      // A file that cannot be read now is shown by `syncd status`.
      guard case .read? = try await store.read([path], into: sink).first else { continue }
      if await merger.isMarked(sink.bytes, at: path) == true { marked.append(path) }
    }
    return marked
  }
}
