package import SyncKit

extension MeshState {
  /// A state from its stored or received parts.
  /// - Parameter exceptions: What was seen at paths whose contents are still to be fetched.
  package init(
    writer: Writer, context: CausalContext, files: [SyncPath: [MeshVersion]], exceptions: [SyncPath: CausalContext]
  ) {
    self.init(writer: writer)
    self.context = context
    self.exceptions = exceptions
    for (path, versions) in files { set(versions, at: path) }
  }
}
