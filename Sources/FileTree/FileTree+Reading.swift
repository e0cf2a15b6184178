public import SyncKit

extension FileTree {
  /// Reads each file whole into `sink`. A file that changes meanwhile is read once more and then postponed.
  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let tree = try open()
    var results: [ReadResult] = []
    for path in paths { results.append(await read(path, in: tree, into: sink)) }
    return results
  }

  /// Looks up each path by name. A file counts as absent only if the file system reports that it does not exist.
  public func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let tree = try open()
    let firmness = Firmness(from: parts.runtime.now())
    let folds = try await naming().folds
    return paths.map { confirm($0, in: tree, firmness, folds: folds) }
  }

  private func confirm(_ path: SyncPath, in tree: OpenTree, _ firmness: Firmness, folds: Bool) -> Presence {
    do throws(Obstacle) {
      let location = try tree.location(of: path)
      do throws(SyncError) {
        guard let facts = try location.facts() else {
          return location.stub().map { .unknown(requests.obstacle(at: path, stub: $0)) } ?? .absent
        }
        // A folder is not a file; any other kind in its place may hide one.
        if facts.kind == .folder { return .absent }
        if folds, try !tree.isSpelled(path) { return .absent }
        if let objection = facts.objection { return .unknown("\(path) is \(objection)") }
        if facts.isDataless { return .unknown(requests.obstacle(at: path, size: facts.size)) }
        return .present(facts.entry(at: path, firmness: firmness))
      } catch { return .unknown(error.message) }
    } catch { return error.provesAbsence && !tree.hasStub(for: error) ? .absent : .unknown(error.error.message) }
  }

  private func read(_ path: SyncPath, in tree: OpenTree, into sink: any ContentSink) async -> ReadResult {
    let location: FileLocation
    do throws(Obstacle) { location = try tree.location(of: path) } catch {
      if error.provesAbsence { return .absent }
      return error.isElsewhere ? .postponed(error.error.message) : .failed(error.error)
    }
    for _ in 1...2 {
      do throws(SyncError) {
        return .read(try await read(location, into: sink.of(path)))
      } catch {
        switch error.code {
        case .notFound:
          return location.stub().map { .postponed(requests.obstacle(at: path, stub: $0)) } ?? .absent
        case .changedMeanwhile: continue
        case .unavailable: return .postponed(requests.obstacle(at: path))
        default: return .failed(error)
        }
      }
    }
    return .postponed("\(path) kept changing while it was read")
  }

  private func read(_ location: FileLocation, into sink: any ContentSink) async throws(SyncError) -> Entry {
    let firmness = Firmness(from: parts.runtime.now())
    let file = try FileReading(of: location.name, at: location)
    let digest = try await file.pour(into: sink)
    return file.facts.entry(at: location.path, digest: digest, firmness: firmness)
  }
}

extension OpenTree {
  /// Returns true if a stub stands for the folder that is missing.
  fileprivate func hasStub(for obstacle: Obstacle) -> Bool {
    guard case .missing(let folder) = obstacle else { return false }
    return (try? location(of: folder))?.stub() != nil
  }

  /// Returns true if each component of a path is spelled exactly so in its folder. A case-insensitive file system also finds
  /// other spellings, so a file whose case was changed would still be found under its old name.
  fileprivate func isSpelled(_ path: SyncPath) throws(SyncError) -> Bool {
    try at(path) { () throws(Errno) in
      var folder = root
      for name in path.parts {
        guard try Self.holds(name, folder) else { return false }
        if name.endIndex < path.bytes.endIndex { folder = try folder.folder(FileName(name)) }
      }
      return true
    }
  }

  private static func holds(_ name: ArraySlice<UInt8>, _ folder: Folder) throws(Errno) -> Bool {
    var listing = try Listing(of: folder)
    while let item = listing.popFirst() { if listing.name(item) == name { return true } }
    return false
  }
}

extension FileFacts {
  /// A description of the item if it is not a regular file.
  var objection: String? {
    switch kind {
    case .file: nil
    case .folder: "a folder"
    case .special(let what): what
    }
  }
}
