internal import HTTPStorage
internal import SyncKit

/// A file that gets another name in Box by one call, instead of an upload and a removal.
///
/// Box never moves a file to a name that is in use. It checks the etag of a file that gets another name in its folder, but moves
/// the present version to another folder, whatever its etag is (Box, "Ensure consistency"). So the answer is checked: a version
/// that was not to be moved is moved back, and the next pass applies the edit under the new name. A crash before that leaves it
/// under the new name, where the next pass finds it.
struct FileMove: Sendable {
  private let storage: BoxStorage
  private let source: Change
  private let target: Change
  private let content: Content
  /// The version to be moved.
  private let expected: (etag: String, sha1: String)

  /// The results of the two changes.
  struct Results: Sendable {
    var creation: WriteResult
    var removal: WriteResult
  }

  private static let attempts = 3

  private var service: Service { storage.service }

  /// Returns nil if the two changes are not a move.
  init?(_ source: Change, _ target: Change, on storage: BoxStorage) {
    guard case .unchanged(let revision) = source.condition, let expected = revision.boxVersion,
      let content = source.replaced, [source, target].allSatisfy({ BoxFolder.violation(by: $0.path) == nil })
    else { return nil }
    (self.storage, self.source, self.target, self.content) = (storage, source, target, content)
    self.expected = expected
  }

  /// Moves the file if it has the expected version. Returns nil if the two changes must be made one by one.
  func run() async throws(SyncError) -> Results? {
    guard let (id, node) = try await storage.feed.tree()[source.path], case .file(let version) = node.kind,
      version.sha1 == expected.sha1, case .id(let folder) = try await storage.folder(for: target.path.parent)
    else { return nil }
    let (old, new) = (Place(node.parent, source.path), Place(folder, target.path))
    try await storage.reach(.starting)
    // In one order, so that two moves never wait for each other.
    let locks = Set([source, target].map { "in \($0.path.parent?.description ?? "")" }).sorted()
    return try await service.locks.withLock(locks[0]) { () throws(SyncError) in
      guard locks.count > 1 else { return try await move(id, from: old, to: new) }
      return try await service.locks.withLock(locks[1]) { () throws(SyncError) in
        try await move(id, from: old, to: new)
      }
    }
  }

  // MARK: Moving

  /// A name in a folder.
  private struct Place: Sendable {
    let folder: String
    let path: SyncPath

    init(_ folder: String, _ path: SyncPath) { (self.folder, self.path) = (folder, path) }

    var name: String { String(decoding: path.name, as: UTF8.self) }

    func has(_ item: Item) -> Bool { item.parent == folder && item.name.utf8.elementsEqual(name.utf8) }
  }

  private func call(
    _ id: String, from old: Place, to new: Place, match etag: String
  ) async throws(SyncError) -> Outcome {
    var wish: JSON = ["name": .string(new.name)]
    // With a folder, even the same, Box may treat the call as a move and not check the etag.
    if new.folder != old.folder { wish["parent"] = ["id": .string(new.folder)] }
    return try await service.change("PUT", "files/\(id)?fields=\(Item.fields)", wish, match: etag)
  }

  private func move(_ id: String, from old: Place, to new: Place) async throws(SyncError) -> Results? {
    var (etag, loss) = (expected.etag, SyncError?.none)
    for _ in 0..<Self.attempts {
      let outcome = try await call(id, from: old, to: new, match: etag)
      if let item = outcome.item, item.id == id { return try await checked(item, from: old, to: new) }
      let isLost = outcome.isLost || outcome.isGood
      if isLost { loss = outcome.error ?? unclear }
      guard isLost || [404, 409, 412].contains(outcome.status) else { return end(loss) }
      switch try await look(for: id) {
      case .unclear(let error): return loss == nil ? nil : unknown(error)
      case .missing: return try await changed()
      case .item(let item) where new.has(item): return try await checked(item, from: old, to: new)
      case .item(let item):
        guard old.has(item), let version = item.version, version.sha1 == expected.sha1 else {
          return try await changed()
        }
        // The name is in use, or the folder is gone; the usual way reports it.
        guard isLost || outcome.status == 412 else { return end(loss) }
        // The etag also changes with the description.
        etag = version.etag
      }
    }
    return end(loss)
  }

  private enum Found: Sendable {
    case item(Item)
    case missing
    case unclear(SyncError)
  }

  private func look(for id: String) async throws(SyncError) -> Found {
    do throws(SyncError) {
      let answer = try await service.ask("files/\(id)?fields=\(Item.fields)")
      if answer.status == 404 { return .missing }
      let item: Item = try service.value(in: answer, at: source.path.description)
      return item.isActive && item.id == id ? .item(item) : .missing
    } catch {
      if error.reach == .pass { throw error }
      return .unclear(error)
    }
  }

  // MARK: Checking

  /// Checks what Box has moved.
  private func checked(_ item: Item, from old: Place, to new: Place) async throws(SyncError) -> Results? {
    try await storage.reach(.answered)
    guard new.has(item), let version = item.version else {
      storage.feed.doubt()
      return unknown(unclear)
    }
    storage.feed.record(item, in: new.folder)
    guard version.sha1 == expected.sha1 else { return try await movedBack(item, version, from: new, to: old) }
    var entry = BoxStorage.entry(of: version, at: target.path)
    entry.digest = content.digest
    return Results(creation: .done(entry), removal: .done(nil))
  }

  /// Moves a version back that another client has written meanwhile.
  private func movedBack(
    _ item: Item, _ version: Item.Version, from new: Place, to old: Place
  ) async throws(SyncError) -> Results {
    for _ in 0..<Self.attempts {
      let outcome = try await call(item.id, from: new, to: old, match: version.etag)
      guard outcome.isLost else { break }
    }
    guard case .item(let found) = try await look(for: item.id), let version = found.version else {
      storage.feed.doubt()
      return unknown(unclear)
    }
    if old.has(found) {
      storage.feed.record(found, in: old.folder)
      return Results(creation: isChanged, removal: .refused(BoxStorage.entry(of: version, at: source.path)))
    }
    storage.feed.doubt()
    guard new.has(found) else { return unknown(unclear) }
    // The old name is in use again.
    return Results(
      creation: .refused(BoxStorage.entry(of: version, at: target.path)),
      removal: try await storage.refusal(of: source))
  }

  // MARK: Results

  private func changed() async throws(SyncError) -> Results {
    Results(creation: isChanged, removal: try await storage.refusal(of: source))
  }

  private var isChanged: WriteResult { .postponed("\(source.path) was changed in Box meanwhile") }

  private var unclear: SyncError {
    SyncError(
      .unavailable, "Box did not report what happened to \(source.path), which is to be renamed to \(target.path)")
  }

  /// The end of a move that was not made; after a lost answer, it may still be made later.
  private func end(_ loss: SyncError?) -> Results? { loss.map(unknown) }

  private func unknown(_ error: SyncError) -> Results {
    Results(creation: .unknown(error), removal: .unknown(error))
  }
}

extension Outcome {
  /// The item in an answer of success.
  fileprivate var item: Item? {
    guard case .answered(let answer) = self, answer.isGood else { return nil }
    return answer.value(Item.self)
  }

  /// The error of a lost request.
  fileprivate var error: SyncError? { if case .lost(let error) = self { error } else { nil } }
}
