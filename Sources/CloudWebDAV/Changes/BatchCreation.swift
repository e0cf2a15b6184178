internal import HTTPStorage
internal import SyncKit

/// Creates many files, each step for all of them at once: results are verified by listing folders instead of looking up each
/// file, which halves the requests of a first sync.
///
/// Files that fail here are then created one by one, where every error is handled.
struct BatchCreation: Sendable {
  /// A file that is in place, with the evidence that it is ours.
  private typealias Placed = (index: Int, evidence: Evidence, upload: Upload?)

  let storage: WebDAVStorage
  let traits: Traits
  let writings: [(writing: FileWrite, content: Content)]

  /// Returns the results in order; nil for files that must be created one by one.
  func run() async throws(SyncError) -> [WriteResult?] {
    var results: [WriteResult?] = Array(repeating: nil, count: writings.count)
    try await makeFolders()
    let placed = traits.createsDirectly ? try await putAll() : try await uploadAndMove()
    let paths = placed.map { writings[$0.index].writing.path }
    let seen = try await storage.lookUp(paths)
    let listed = try await storage.listed(of: paths, traits)
    for (index, evidence, upload) in placed {
      let (writing, content) = writings[index]
      guard let observation = seen[writing.path], observation.facts.size == content.size, !observation.facts.isFolder,
        listed.contains(writing.path)
      else {
        if seen[writing.path]?.facts.isFolder == true, let upload {
          // Without a result the file is created alone, where an empty folder gives way.
          _ = try await writing.refusedByFolder(upload)
        } else {
          results[index] = try await writing.resolved(content, by: evidence)
        }
        continue
      }
      results[index] = .done(writing.entry(observation, by: evidence))
    }
    return results
  }

  /// Creates the missing folders level by level, because files in the same folder would wait for each other.
  private func makeFolders() async throws(SyncError) {
    let missing = Set(writings.flatMap(\.writing.path.ancestors)).filter { !storage.state.knows(folder: $0) }
    for (_, level) in Dictionary(grouping: missing, by: \.ancestors.count).sorted(by: { $0.key < $1.key }) {
      _ = try await mapConcurrently(level, atMost: storage.server.parallelism) { folder throws(SyncError) in
        try await storage.makeFolder(folder)
      }
    }
  }

  /// Sends PUT for all files under a condition that holds to the end; returns the accepted ones.
  private func putAll() async throws(SyncError) -> [Placed] {
    let outcomes = try await mapConcurrently(Array(writings.indices), atMost: storage.server.parallelism) {
      index throws(SyncError) in
      let (writing, content) = writings[index]
      return try await writing.withParents { () throws(SyncError) in
        try await storage.server.put(ContentBody(content: content), at: writing.url, if: .absent)
      }
    }
    return zip(writings.indices, outcomes).filter(\.1.isGood).map { ($0, .upload($1), nil) }
  }

  /// Uploads all files beside their paths and moves them there; returns the successful ones.
  private func uploadAndMove() async throws(SyncError) -> [Placed] {
    let temporaries = writings.map { $0.writing.temporary() }
    for temporary in temporaries.compactMap(\.self) { storage.state.use(temporary) }
    // If everything fails, the next listing removes the remaining temporaries.
    defer { for temporary in temporaries.compactMap(\.self) { storage.state.release(temporary) } }
    return try await moveAll(uploadAll(to: temporaries))
  }

  private typealias Sent = (index: Int, upload: Upload)

  /// Uploads all files beside their paths; returns those that were stored whole.
  private func uploadAll(to temporaries: [SyncPath?]) async throws(SyncError) -> [Sent] {
    let outcomes = try await mapConcurrently(Array(writings.indices), atMost: storage.server.parallelism) {
      index throws(SyncError) in
      guard let temporary = temporaries[index] else { return false }
      let (writing, content) = writings[index]
      return try await writing.withParents { () throws(SyncError) in
        try await storage.server.put(ContentBody(content: content), at: storage.server.address.file(temporary))
      }.isGood
    }
    let sent = zip(writings.indices, zip(temporaries, outcomes)).filter(\.1.1)
      .compactMap { index, item in item.0.map { (index: index, path: $0) } }
    let seen = try await storage.lookUp(sent.map(\.path))
    var whole: [Sent] = []
    for (index, path) in sent {
      if let observation = seen[path], observation.facts.size == writings[index].content.size {
        whole.append((index, Upload(path: path, evidence: .upload(observation))))
      } else {
        _ = try await storage.server.deleteUpload(storage.server.address.file(path))
      }
    }
    return whole
  }

  /// Moves all uploads to their paths; returns the successful ones. Removes the others.
  private func moveAll(_ uploads: [Sent]) async throws(SyncError) -> [Placed] {
    let server = storage.server
    let moved = try await mapConcurrently(uploads, atMost: server.parallelism) { sent throws(SyncError) in
      let source = server.address.file(sent.upload.path)
      let outcome = try await server.moveUpload(source, to: writings[sent.index].writing.url, overwriting: false)
      if !outcome.isGood { _ = try await server.deleteUpload(source) }
      return outcome.isGood
    }
    return zip(uploads, moved).filter(\.1).map { ($0.0.index, $0.0.upload.evidence, $0.0.upload) }
  }
}

extension WebDAVStorage {
  /// A folder is listed as a whole if at least this fraction of its files is looked up.
  private static let share = 8

  /// Looks up many paths: by listing a folder if many of its files are needed. The result omits missing files, and those that
  /// could not be looked up.
  func lookUp(_ paths: [SyncPath]) async throws(SyncError) -> [SyncPath: Observation] {
    let byFolder = Dictionary(grouping: paths) { $0.parent?.bytes ?? [] }
    let questions = byFolder.values.flatMap { group in isWorthListing(group) ? [group] : group.map { [$0] } }
    let answers = try await mapConcurrently(questions, atMost: server.parallelism) { group throws(SyncError) in
      do throws(SyncError) { return try await observations(of: group) } catch {
        if error.reach == .pass { throw error }
        return [:]
      }
    }
    return answers.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  private func isWorthListing(_ group: [SyncPath]) -> Bool {
    group.count > 2 && group.count * Self.share >= state.fileCount(of: group[0].parent)
  }

  private func observations(of group: [SyncPath]) async throws(SyncError) -> [SyncPath: Observation] {
    guard group.count > 1 else {
      guard case .there(let observation) = try await server.lookUp(group[0]) else { return [:] }
      return [group[0]: observation]
    }
    guard let (items, date) = try await server.children(of: group[0].parent) else { return [:] }
    state.record(fileCount: items.count, of: group[0].parent)
    return group.reduce(into: [:]) { observations, path in
      guard let item = items[Array(path.name)], item.failure == nil else { return }
      observations[path] = Observation(facts: item.facts, date: date)
    }
  }
}
