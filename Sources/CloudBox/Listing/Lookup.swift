internal import SyncKit

/// The result of a lookup by name.
enum LookupResult: Sendable {
  case file(Item)
  /// A folder, or an item that is not a file.
  case other(Item)
  /// An item under another name that Box treats as the same.
  case spelledOtherwise(String)
  case absent
  case unclear(SyncError)
}

/// Looks up paths by listing their folders.
struct Lookup: Sendable {
  let service: Service
  let feed: Feed

  /// A folder and the items in it.
  struct Folder: Sendable {
    var id: String
    var items: [Item]
  }

  /// Looks up a path. Throws only errors that end the pass.
  func find(_ path: SyncPath) async throws(SyncError) -> LookupResult {
    guard BoxFolder.violation(by: path) == nil else { return .absent }
    do throws(SyncError) {
      guard let folder = try await folder(at: path.parent) else { return .absent }
      return Self.result(of: path, in: folder)
    } catch {
      if error.reach == .pass { throw error }
      return .unclear(error)
    }
  }

  /// Finds a path in the listing of its folder.
  static func result(of path: SyncPath, in folder: Folder) -> LookupResult {
    let name = String(decoding: path.name, as: UTF8.self)
    if let item = folder.items.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      return item.version == nil ? .other(item) : .file(item)
    }
    let key = SyncPath(name)?.collisionKey(under: BoxFolder.naming)
    let twin = folder.items.first { SyncPath($0.name)?.collisionKey(under: BoxFolder.naming) == key }
    return twin.map { .spelledOtherwise($0.name) } ?? .absent
  }

  /// Lists the folder at a path, the root for nil; nil if there is none. Throws if that is not clear.
  func folder(at path: SyncPath?) async throws(SyncError) -> Folder? {
    let tree = try await feed.tree()
    if let id = tree.folder(at: path), let folder = try await list(id) { return folder }
    guard let path else {
      throw SyncError(.unavailable, "the folder \(feed.folder.address) is not there any more")
    }
    // Its id is not known, or the folder with that id is gone: another one may have the name now.
    guard let parent = try await folder(at: path.parent),
      case .other(let item) = Self.result(of: path, in: parent), item.isFolder
    else { return nil }
    return try await list(item.id)
  }

  private func list(_ id: String) async throws(SyncError) -> Folder? {
    switch try await service.list(id, maxFiles: feed.maxFiles, address: feed.folder.address) {
    case .items(let items): return Folder(id: id, items: items)
    case .missing: return nil
    case .denied(let reason): throw SyncError(.unavailable, reason)
    }
  }
}
