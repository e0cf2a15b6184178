import Foundation
import MeshStore
import SyncKit
import SyncKitTesting
import Testing

/// A folder of a mesh in a test, which is removed with the object.
final class MeshPlace: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "mesh-" + UUID().uuidString
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  static let secret = MeshSecret { (0..<$0).map { UInt8(truncatingIfNeeded: $0) } }

  /// A handle on the folder, as of a process of its own.
  func handle(
    _ secret: MeshSecret = MeshPlace.secret, device: String = "laptop", retention: Duration = .zero,
    reach: @escaping @Sendable (MeshFailpoint) throws(SyncError) -> Void = { _ throws(SyncError) in }
  ) -> MeshReplica {
    MeshReplica(MeshFolder(path, reach: reach), secret, Device(id: device, name: device), .real, retention: retention)
  }

  /// Replaces this folder by a copy of another one.
  func copy(of other: MeshPlace) throws {
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: other.path, toPath: path)
  }

  /// The bytes of every file.
  func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      files[name] = FileManager.default.contents(atPath: path + "/" + name)
    }
    return files
  }

  var segmentFolder: String { path + "/segments" }
}

extension Replica {
  func put(_ text: String, at name: String) async throws {
    let path = SyncPath(trusted: Array(name.utf8))
    let entry: Entry? = if case .present(let entry) = try await confirm(file: path) { entry } else { nil }
    let change = Change(
      path: path, content: Content(Array(text.utf8)), condition: entry.map { .unchanged($0.revision) } ?? .absent)
    guard case .done = try await commit(change: change) else { throw Failed("cannot write \(name)") }
  }

  func remove(_ name: String) async throws {
    let path = SyncPath(trusted: Array(name.utf8))
    guard case .present(let entry) = try await confirm(file: path) else { return }
    _ = try await remove(path, if: .unchanged(entry.revision))
  }

  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for entry in try await list(since: Known()).entries {
      let sink = MemorySink(limit: 1 << 24)
      guard case .read = try await read(file: entry.path, into: sink) else { continue }
      texts[entry.path.description] = String(decoding: sink.bytes, as: UTF8.self)
    }
    return texts
  }
}

struct Failed: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

extension MeshReplica {
  /// What this device offers if only its last table comes with the head.
  func lastTable() async throws -> MeshOffer {
    var offer = try self.offer()
    let name = try #require(offer.head.tables.last).segment
    offer.arrived = [name.root: try #require(try segment(name))]
    return offer
  }
}
