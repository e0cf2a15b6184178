package import SyncKit

extension MeshState {
  /// Returns the name of the next version. Pure.
  /// - Parameter milliseconds: The time since 1970. A wrong clock does no harm; a right one keeps a device that was restored without
  ///   noticing from using a number twice.
  package func nextDot(at milliseconds: UInt64) -> Dot {
    Dot(writer: writer, number: max(context[writer] + 1, milliseconds))
  }

  /// Puts a new version in the place of exactly the versions `dots`, which the path has. Other versions stay.
  ///
  /// The dots are those of a presentation, so that the device's own version is among them: a device that knows the new
  /// version seems to know all earlier ones of its writer.
  @discardableResult
  package mutating func write(
    _ digest: Digest, size: Int, at path: SyncPath, replacing dots: Set<Dot>, milliseconds: UInt64
  ) -> Dot {
    let dot = nextDot(at: milliseconds)
    let former = self[path].filter { dots.contains($0.dot) }
    let version = MeshVersion(digest, size: size, dot: dot, replacing: former)
    set(self[path].filter { !dots.contains($0.dot) } + [version], at: path)
    context.insert(dot)
    return dot
  }

  /// Returns the same version with a new name.
  mutating func renamed(_ version: MeshVersion, milliseconds: UInt64) -> MeshVersion {
    var version = version
    version.dot = nextDot(at: milliseconds)
    context.insert(version.dot)
    return version
  }

  /// Removes exactly the versions `dots` of a path. Other versions stay.
  package mutating func remove(_ dots: Set<Dot>, at path: SyncPath) {
    set(self[path].filter { !dots.contains($0.dot) }, at: path)
  }
}
