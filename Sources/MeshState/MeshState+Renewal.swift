package import SyncKit

extension MeshState {
  /// Returns true if the state of another device proves that this one was restored from a backup or copied: the other one has seen
  /// versions of this device's writer that this one does not know, or has the same writer.
  package func wasOvertaken(by other: MeshState) -> Bool {
    other.writer == writer || other.context[writer] > context[writer]
  }

  /// Continues as another writer, because this state was restored or copied, and was not written to since.
  package mutating func renew(as new: Writer) {
    for path in exceptions.keys { exceptions[path] = context(at: path) }
    writer = new
  }

  /// Continues as another writer, because the state of `other` shows that this one was restored or copied, and may have been
  /// written to since.
  ///
  /// A version of the former writer that the other device does not have may have a number that the writer has used before, for
  /// another content. It gets a new name; and versions with such numbers no longer count as seen, so that the other ones arrive. A
  /// file that was removed since may come back in this case; a version is never lost.
  ///
  /// - Returns: The paths whose versions have new names.
  @discardableResult
  package mutating func renew(
    as new: Writer, after other: MeshState, milliseconds: UInt64
  ) -> Set<SyncPath> {
    let former = writer
    renew(as: new)
    var (renamed, lowest): (Set<SyncPath>, UInt64?) = ([], nil)
    for (path, versions) in files.sorted(by: { $0.key < $1.key }) {
      let doubtful = versions.filter { version in
        version.dot.writer == former
          && !other[path].contains { $0.dot == version.dot && $0.digest == version.digest }
      }
      guard !doubtful.isEmpty else { continue }
      renamed.insert(path)
      lowest = min(lowest ?? .max, doubtful.map(\.dot.number).min() ?? .max)
      let kept = versions.filter { !doubtful.contains($0) }
      set(kept + doubtful.map { self.renamed($0, milliseconds: milliseconds) }, at: path)
    }
    if let lowest { forget(former, from: lowest) }
    return renamed
  }

  private mutating func forget(_ former: Writer, from number: UInt64) {
    context.forget(former, from: number)
    for path in exceptions.keys { exceptions[path]?.forget(former, from: number) }
  }
}
