internal import GitObjects
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes a tree on GitHub: the branch's tree with some files changed.
struct TreeUpload: Sendable {
  /// A file to put at a path, or to remove.
  struct Entry: Sendable {
    var path: SyncPath
    var file: GitTree.Entry?
  }

  let service: Service
  let cache: ObjectCache
  let bytes: [ObjectID: [UInt8]]

  /// A text of this size is sent with the tree; others are objects of their own.
  private static let longestInline = 512 << 10
  /// The size of one request: the number of entries and of bytes.
  private static let (mostEntries, mostBytes) = (500, 4 << 20)

  /// Sends the entries; returns the tree that GitHub made.
  func run(_ entries: [Entry], on base: ObjectID) async throws(SyncError) -> ObjectID {
    var tree = base
    var (items, size) = ([JSON](), 0)
    for (index, entry) in entries.enumerated() {
      let item = try await item(entry)
      items.append(item.json)
      size += item.size
      guard items.count == Self.mostEntries || size >= Self.mostBytes || index == entries.count - 1 else { continue }
      let wish: JSON = ["base_tree": .string("\(tree)"), "tree": .array(items)]
      tree = try await service.ask("POST", "/git/trees", wish, as: ObjectReply.self).sha
      (items, size) = ([], 0)
    }
    return tree
  }

  private func item(_ entry: Entry) async throws(SyncError) -> (json: JSON, size: Int) {
    let path = JSON.string(String(decoding: entry.path.bytes, as: UTF8.self))
    guard let file = entry.file else {
      return (["path": path, "mode": "100644", "type": "blob", "sha": .null], 100)
    }
    let mode = String(file.mode.bits, radix: 8)
    var json: JSON = ["path": path, "mode": .string(mode), "type": "blob"]
    guard !cache.hasFile(file.id), let bytes = bytes[file.id] else {
      json["sha"] = .string("\(file.id)")
      return (json, 100)
    }
    if let text = Self.inline(bytes) {
      json["content"] = .string(text)
      return (json, 100 + bytes.count)
    }
    try await upload(bytes, as: file.id)
    json["sha"] = .string("\(file.id)")
    return (json, 100)
  }

  /// The content as text; nil if JSON might alter it.
  static func inline(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= longestInline, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private func upload(_ bytes: [UInt8], as id: ObjectID) async throws(SyncError) {
    let wish: JSON = ["content": .string(Data(bytes).base64EncodedString()), "encoding": "base64"]
    let reply: ObjectReply = try await service.ask("POST", "/git/blobs", wish)
    guard reply.sha == id else {
      throw SyncError(.unavailable, "\(service.place.address) received another file than was sent; nothing was changed")
    }
  }
}
