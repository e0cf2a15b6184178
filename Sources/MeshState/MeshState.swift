package import SyncKit

/// The knowledge of one device about all files of a mesh: the present versions of each path, and which versions it has ever seen.
///
/// Devices exchange their states and join them. A version that a state has seen and does not list was replaced or removed, so
/// deletions need no record of their own. Joining is commutative, associative and idempotent: devices that have met, directly or
/// through others, have equal states in whatever order they met. In the literature it is an add-wins map of multi-value registers
/// with causal contexts.
///
/// A state lists only versions whose contents its device holds, so that a device that sees it can fetch everything from there.
///
/// Pure: no clock, no disk, no network.
package struct MeshState: Hashable, Sendable {
  /// The writer of this device's own versions.
  package internal(set) var writer: Writer
  /// The versions of each path that has any, by rising dot. They are concurrent: none was made with knowledge of another one.
  package internal(set) var files: [SyncPath: [MeshVersion]] = [:]
  /// The versions that were seen at each path that is not an exception.
  package internal(set) var context = CausalContext()
  /// The versions that were seen at paths whose contents are still to be fetched. A device has seen all its own versions
  /// everywhere, so its own writer counts as in `context`.
  var exceptions: [SyncPath: CausalContext] = [:]

  /// The state of a device that knows nothing.
  package init(writer: Writer) { self.writer = writer }

  /// Returns the versions of a path, by rising dot.
  package subscript(path: SyncPath) -> [MeshVersion] { files[path] ?? [] }

  /// Returns the versions that were seen at a path.
  package func context(at path: SyncPath) -> CausalContext {
    guard var exception = exceptions[path] else { return context }
    exception.insert(Dot(writer: writer, number: context[writer]))
    return exception
  }

  /// The paths that have versions, or a context of their own.
  package var paths: Set<SyncPath> { Set(files.keys).union(exceptions.keys) }

  /// The paths at which other devices have versions that this one has not fetched.
  package var waiting: Set<SyncPath> { Set(exceptions.keys) }

  mutating func set(_ versions: [MeshVersion], at path: SyncPath) {
    files[path] = versions.isEmpty ? nil : versions.sorted { $0.dot < $1.dot }
  }

  /// Returns true if both have the same versions and have seen the same ones.
  package func agrees(with other: MeshState) -> Bool {
    files == other.files && context == other.context
      && Set(exceptions.keys) == Set(other.exceptions.keys)
      && exceptions.keys.allSatisfy { context(at: $0) == other.context(at: $0) }
  }
}
