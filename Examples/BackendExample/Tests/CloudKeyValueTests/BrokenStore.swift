import CloudKeyValue
import SyncKit
import SyncKitTesting
import Testing

/// A flaw, and the check that detects it.
struct BrokenStore: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let noticed: CheckID
  private let change: @Sendable (inout AlteredStore) -> Void

  private init(
    _ what: String, noticedBy check: CheckID, _ change: @escaping @Sendable (inout AlteredStore) -> Void
  ) {
    (testDescription, noticed, self.change) = (what, check, change)
  }

  /// The correct store with this flaw.
  func make(_ store: KeyValueStore) -> AlteredStore {
    var altered = AlteredStore(store: store)
    change(&altered)
    return altered
  }

  static let all = [
    BrokenStore("it looks, then writes under a lock of its own", noticedBy: .createRace) {
      let locks = LockQueue()
      $0.onPut = { store, content, path, condition throws(SyncError) in
        try await locks.withLock("write") { () throws(SyncError) in
          guard try await store.condition(at: path) == condition else { return .refused }
          return try await store.overwrite(content, at: path)
        }
      }
    },
    BrokenStore("it looks, then replaces under a lock of its own", noticedBy: .writeRace) {
      let locks = LockQueue()
      $0.onPut = { store, content, path, condition throws(SyncError) in
        if condition == .absent { return try await store.put(content, at: path, if: condition) }
        return try await locks.withLock("write") { () throws(SyncError) in
          guard try await store.condition(at: path) == condition else { return .refused }
          return try await store.overwrite(content, at: path)
        }
      }
    },
    BrokenStore("it sends no condition with a PUT", noticedBy: .createExisting) {
      $0.onPut = { store, content, path, _ throws(SyncError) in try await store.overwrite(content, at: path) }
    },
    BrokenStore("it sends no condition with a DELETE", noticedBy: .staleRemoval) {
      $0.onDelete = { store, path, etag throws(SyncError) in
        guard case .unchanged(let current) = try await store.condition(at: path) else { return .refused }
        return try await store.delete(path, if: current)
      }
    },
    BrokenStore("it lists the first page only", noticedBy: .longListing) {
      $0.onList = { store, token throws(SyncError) in
        var page = try await store.list(page: token)
        page.next = nil
        return page
      }
    },
    BrokenStore("it remembers what it has listed", noticedBy: .listingOfOthers) {
      let cache = PageCache()
      $0.onList = { store, token throws(SyncError) in try await cache.page(token, of: store) }
      $0.onPut = { store, content, path, condition throws(SyncError) in
        await cache.forget()
        return try await store.put(content, at: path, if: condition)
      }
    },
    BrokenStore("it takes a missing key for an empty file", noticedBy: .absence) {
      $0.onGet = { store, path, intake throws(SyncError) in
        try await store.get(path, into: intake) ?? ObjectVersion(etag: "\"0\"", size: 0)
      }
    },
    BrokenStore("it takes the size for a version", noticedBy: .firmRevision) {
      $0.onList = { store, token throws(SyncError) in
        let page = try await store.list(page: token)
        let objects = page.objects.map { ($0.name, ObjectVersion(etag: "\"\($0.version.size ?? 0)\"", size: 1)) }
        return ObjectPage(objects, next: page.next)
      }
    },
    BrokenStore("it strips the quotes of etags in listings", noticedBy: .sameRevision) {
      $0.onList = { store, token throws(SyncError) in
        let page = try await store.list(page: token)
        let objects = page.objects.map { name, version in
          (name, ObjectVersion(etag: version.etag.filter { $0 != "\"" }, size: version.size))
        }
        return ObjectPage(objects, next: page.next)
      }
    },
    BrokenStore("it writes names in lower case", noticedBy: .similarNames) {
      $0.onPath = { path in SyncPath(path.description.lowercased()) ?? path }
    },
    BrokenStore("it keeps the beginning of an interrupted content", noticedBy: .brokenContent) {
      $0.onPut = { store, content, path, condition throws(SyncError) in
        var bytes: [UInt8] = []
        var reader = try content.reader()
        do throws(SyncError) { while let chunk = try await reader.next() { bytes += chunk } } catch {}
        return try await store.put(Content(bytes), at: path, if: condition)
      }
    },
    BrokenStore("it takes an unreachable server for an empty store", noticedBy: .unreachable) {
      $0.onList = { store, token throws(SyncError) in
        do throws(SyncError) { return try await store.list(page: token) } catch { return ObjectPage([]) }
      }
    },
    BrokenStore("it puts the token into its address", noticedBy: .secrets) {
      $0.address += "?token=\(TestServer.token)"
    },
    BrokenStore("it writes a content before it is complete", noticedBy: .wholeReads) {
      $0.onPut = { store, content, path, condition throws(SyncError) in
        let bytes = try await content.bytes()
        let half = try await store.put(Content(Array(bytes.prefix(bytes.count / 2))), at: path, if: condition)
        guard case .done(let version?) = half else { return half }
        for _ in 0..<3 { _ = try await store.list(page: nil) }
        return try await store.put(Content(bytes), at: path, if: .unchanged(Revision(version.etag)))
      }
    },
  ]
}

/// The correct store with methods that a test replaces.
struct AlteredStore: ObjectStore {
  let store: KeyValueStore
  var address: String
  var naming: NamingRules { store.naming }

  var onPath: @Sendable (SyncPath) -> SyncPath = { $0 }
  var onList: @Sendable (KeyValueStore, String?) async throws(SyncError) -> ObjectPage = {
    store, token throws(SyncError) in try await store.list(page: token)
  }
  var onGet: @Sendable (KeyValueStore, SyncPath, any ContentIntake) async throws(SyncError) -> ObjectVersion? = {
    store, path, intake throws(SyncError) in try await store.get(path, into: intake)
  }
  var onPut: @Sendable (KeyValueStore, Content, SyncPath, Condition) async throws(SyncError) -> ObjectChange = {
    store, content, path, condition throws(SyncError) in try await store.put(content, at: path, if: condition)
  }
  var onDelete: @Sendable (KeyValueStore, SyncPath, Revision) async throws(SyncError) -> ObjectChange = {
    store, path, etag throws(SyncError) in try await store.delete(path, if: etag)
  }

  init(store: KeyValueStore) {
    self.store = store
    address = store.address
  }

  func list(page token: String?) async throws(SyncError) -> ObjectPage { try await onList(store, token) }

  func get(_ path: SyncPath, into intake: any ContentIntake) async throws(SyncError) -> ObjectVersion? {
    try await onGet(store, onPath(path), intake)
  }

  func put(_ content: Content, at path: SyncPath, if condition: Condition) async throws(SyncError) -> ObjectChange {
    try await onPut(store, content, onPath(path), condition)
  }

  func delete(_ path: SyncPath, if etag: Revision) async throws(SyncError) -> ObjectChange {
    try await onDelete(store, onPath(path), etag)
  }
}

extension KeyValueStore {
  /// The condition that the present version satisfies.
  func condition(at path: SyncPath) async throws(SyncError) -> Condition {
    try await head(path).map { .unchanged(Revision($0.etag)) } ?? .absent
  }

  /// Stores an object unconditionally.
  func overwrite(_ content: Content, at path: SyncPath) async throws(SyncError) -> ObjectChange {
    while true {
      let change = try await put(content, at: path, if: try await condition(at: path))
      if case .done = change { return change }
    }
  }
}

private actor PageCache {
  private var pages: [String: ObjectPage] = [:]

  func forget() { pages = [:] }

  func page(_ token: String?, of store: KeyValueStore) async throws(SyncError) -> ObjectPage {
    if let page = pages[token ?? ""] { return page }
    let page = try await store.list(page: token)
    pages[token ?? ""] = page
    return page
  }
}
