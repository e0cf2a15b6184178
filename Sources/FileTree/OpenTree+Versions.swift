internal import SyncKit

/// The version of a file, identified by its content.
enum Version: Hashable {
  case absent
  case content(Digest)
  /// A folder, a link or another item without content.
  case special
}

extension OpenTree {
  /// Returns the version of the file called `name`, at the location or beside it. Throws `.unavailable` if its content is only
  /// in a cloud, and asks for it.
  func version(of name: FileName, at location: FileLocation) throws(SyncError) -> Version {
    do throws(Errno) {
      let facts = try location.folder.facts(of: name)
      if facts.kind != .file { return .special }
      if facts.isDataless, let path = location.path.sibling(name.bytes) { requests.ask(for: path, size: facts.size) }
    } catch .notFound { return .absent } catch { throw SyncError(error, at: location.path) }
    return .content(try FileReading(of: name, at: location).digest())
  }

  /// Returns true if the temporary has the digest `digest`; false if it cannot be read.
  func isProved(_ temporary: Temporary, at location: FileLocation, tobe digest: Digest) -> Bool {
    (try? version(of: temporary.name, at: location)) == .content(digest)
  }

  /// Returns the current entry at the location; nil if the file does not exist.
  func entry(at location: FileLocation) throws(SyncError) -> Entry? {
    let firmness = firmness
    guard let facts = try location.facts(), facts.objection == nil else { return nil }
    return facts.entry(at: location.path, firmness: firmness)
  }

  /// Returns the result for a change that found another version at its location.
  func refusal(at location: FileLocation) throws(SyncError) -> WriteResult {
    if let facts = try location.facts(), facts.isDataless {
      return .postponed(requests.obstacle(at: location.path, size: facts.size))
    }
    return .refused(try entry(at: location))
  }

  /// The firmness of files that are observed from now on; read it before the observation.
  var firmness: Firmness { Firmness(from: parts.runtime.now()) }

  /// Stores a version that another program has written meanwhile under its own name, and returns that; nil if its content
  /// exists there already.
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
  /// Removes the parent folders of these files that became empty. Any other content keeps a folder.
  func removeEmptied(above paths: [SyncPath]) { removeEmptied(Set(paths.flatMap(\.ancestors))) }

  /// Removes those of the folders that are empty, deepest first.
  func removeEmptied(_ folders: Set<SyncPath>) {
    for folder in folders.sorted().reversed() {
      if let location = try? location(of: folder) { _ = try? primitives.removeFolder(location) }
    }
    forget()
  }
}
