internal import GitObjects
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// Receives the trees of the branch: as one listing, or folder by folder where GitHub truncates it.
final class TreeLoading: Sendable {
  let service: Service
  let cache: ObjectCache
  private let maxFiles: Int
  /// True if the last listing was truncated.
  private let isLarge = Mutex(false)

  /// A `.gitattributes` of this size has about ten thousand lines.
  static let largestAttributes = 1 << 20

  init(_ service: Service, _ cache: ObjectCache, maxFiles: Int) {
    self.service = service
    self.maxFiles = maxFiles
    self.cache = cache
  }

  /// Receives everything below `root` that is not known yet.
  func load(_ root: ObjectID) async throws(SyncError) {
    var limit = ListingLimit(maxFiles, address: service.place.address)
    if !cache.trees(below: root).missing.isEmpty, !isLarge.withLock({ $0 }) { try limit.add(await listWhole(root)) }
    var missing = cache.trees(below: root).missing
    while !missing.isEmpty {
      let counts = try await mapConcurrently(missing, atMost: service.parallelism) { id throws(SyncError) in
        try await self.list(id)
      }
      for count in counts { try limit.add(count) }
      missing = cache.trees(below: root).missing
    }
    // A damaged top folder proves nothing.
    _ = try unreadable { () throws(SyncError) in try cache.tree(root) }
    try await loadAttributes(below: root)
  }

  private func unreadable<Value>(_ body: () throws(SyncError) -> Value) throws(SyncError) -> Value {
    do throws(SyncError) { return try body() } catch {
      guard error.reach == .path else { throw error }
      throw SyncError(.unavailable, "the listing of \(service.place.address) is unusable: \(error.message)")
    }
  }

  /// Lists everything below a tree. Returns the number of entries; 0 if GitHub truncates the listing.
  private func listWhole(_ root: ObjectID) async throws(SyncError) -> Int {
    let reply = try await service.api.listing(of: root, isRecursive: true, atMost: maxFiles)
    isLarge.withLock { $0 = reply.truncated }
    // What a truncated listing lacks is not known to be absent.
    guard !reply.truncated else { return 0 }
    var folders: [[UInt8]: [GitTree.Entry]] = [[]: []]
    for item in reply.tree {
      guard let entry = item.entry else { throw service.nonsense("GET", "git/trees") }
      folders[entry.folder, default: []].append(entry.value)
    }
    add(root, at: [], folders)
    record(reply)
    return reply.tree.count
  }

  /// Adds a tree and those in it, whose ids its entries have.
  private func add(_ id: ObjectID, at path: [UInt8], _ folders: [[UInt8]: [GitTree.Entry]]) {
    var (open, seen): ([(id: ObjectID, path: [UInt8])], Set<[UInt8]>) = ([(id, path)], [])
    // A hostile listing may have a folder twice.
    while let (id, path) = open.popLast() {
      guard seen.insert(path).inserted else { continue }
      let entries = folders[path] ?? []
      cache.add(GitTree(entries: entries), as: id)
      open += entries.filter(\.mode.isFolder).map {
        (id: $0.id, path: path.isEmpty ? $0.name : path + [0x2F] + $0.name)
      }
    }
  }

  /// Lists one folder. Returns the number of its entries.
  private func list(_ id: ObjectID) async throws(SyncError) -> Int {
    let reply = try await service.api.listing(of: id, isRecursive: false, atMost: maxFiles)
    guard !reply.truncated else {
      throw SyncError(.unavailable, "\(service.place.address) has a folder with too many files for the API")
    }
    let entries = reply.tree.compactMap { $0.entry?.value }
    cache.add(GitTree(entries: entries), as: id)
    record(reply)
    return reply.tree.count
  }

  private func record(_ reply: TreeReply) {
    let sizes = reply.tree.compactMap { item in item.size.map { (item.sha, $0) } }
    cache.add(sizes: Dictionary(sizes, uniquingKeysWith: { first, _ in first }))
  }

  // MARK: Attributes

  /// Receives the files that say which files are not stored as they are.
  private func loadAttributes(below root: ObjectID) async throws(SyncError) {
    let entries = cache.trees(below: root).known.flatMap(\.entries)
    let ids = Set(entries.filter { $0.name == Attributes.fileName && $0.mode.isFile }.map(\.id))
    _ = try await mapConcurrently(ids.filter { cache.file($0) == nil }, atMost: service.parallelism) {
      id throws(SyncError) in
      let bytes = try await BlobReading(self.service, self.cache).bytes(of: id, atMost: Self.largestAttributes)
      self.cache.add(file: bytes, as: id)
    }
  }
}

extension TreeReply.Entry {
  /// The entry and the folder that it is in; nil for an invalid one.
  fileprivate var entry: (folder: [UInt8], value: GitTree.Entry)? {
    guard let bits = UInt32(mode, radix: 8) else { return nil }
    let bytes = Array(path.utf8)
    let slash = bytes.lastIndex(of: 0x2F)
    let name = slash.map { Array(bytes[($0 + 1)...]) } ?? bytes
    return (
      slash.map { Array(bytes[..<$0]) } ?? [], GitTree.Entry(mode: GitTree.Mode(bits: bits), name: name, id: sha)
    )
  }
}
