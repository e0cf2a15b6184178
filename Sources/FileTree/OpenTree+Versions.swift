internal import SyncKit

/// What stands under a name, judged by content.
enum Version: Hashable {
  case absent
  case content(Digest)
  /// A folder, link or other thing without a content.
  case special
}

extension OpenTree {
  /// Looks at what is called `name`, at the place or beside it.
  func version(of name: FileName, at location: FileLocation) throws(SyncError) -> Version {
    do throws(Errno) {
      if try location.folder.facts(of: name).kind != .file { return .special }
    } catch .notFound { return .absent } catch { throw SyncError(error, at: location.path) }
    return .content(try FileReading(of: name, at: location).digest())
  }

  /// Returns true if the file under the temporary name is proved to be `digest`; false if it cannot be read.
  func isProved(_ temporary: Temporary, at location: FileLocation, tobe digest: Digest) -> Bool {
    (try? version(of: temporary.name, at: location)) == .content(digest)
  }

  /// The entry of what is at `place` now; nil if there is no file.
  func entry(at location: FileLocation) throws(SyncError) -> Entry? {
    let firmness = firmness
    guard let facts = try location.facts(), facts.objection == nil else { return nil }
    return facts.entry(at: location.path, firmness: firmness)
  }

  /// What holds for files that are observed from now on; read it before the observation.
  var firmness: Firmness { Firmness(from: parts.runtime.now()) }

  /// Stores a version that another program has written meanwhile under a name of its own, and returns it; nil if its
  /// content stands there already.
  func keepAside(_ temporary: Temporary, at location: FileLocation) throws(SyncError) -> SyncPath? {
    let digest: Digest =
      if case .content(let digest) = try version(of: temporary.name, at: location) { digest } else { .empty }
    let time = try at(location.path) { () throws(Errno) in try location.folder.facts(of: temporary.name).modified }
    for digits in [4, 12, 64] {
      let path = ConflictName.path(
        for: location.path, at: Timestamp(nanoseconds: time), by: parts.device.name, digest: digest, digits: digits,
        atMost: location.folder.maximumNameLength)
      let copy = FileLocation(folder: location.folder, path: path)
      if try primitives.moveBack(temporary, to: copy) == .done { return path }
      if try version(of: copy.name, at: copy) == .content(digest) { return nil }
    }
    throw SyncError(.pathFailed, "no free name for a second version of \(location.path)")
  }
}

extension OpenTree {
  /// Removes the folders above these files that became empty. One that still holds something stays, whatever it is.
  func removeEmptied(above paths: [SyncPath]) { removeEmptied(Set(paths.flatMap(\.ancestors))) }

  /// Removes those of the folders that are empty, the lower ones first.
  func removeEmptied(_ folders: Set<SyncPath>) {
    for folder in folders.sorted().reversed() {
      if let location = try? location(of: folder) { _ = try? primitives.removeFolder(location) }
    }
    forget()
  }
}
