import FileTree
import Foundation
import SyncKit
import Testing

@Test func timing() async throws {
  guard let root = ProcessInfo.processInfo.environment["TREE_ROOT"] else { return }
  let tree = FileTree(path: root, parts: RemoteParts(name: "store", device: Device(id: "abc", name: "here"), world: .real, contents: NoContents(), journal: NoJournal()))
  var s = try await tree.snapshot(since: Known())
  print("count", s.count, s.unread.count)
  var base = Base()
  for e in s.entries { base.append(Agreement(path: e.path, digest: .empty, local: e.revision, remote: e.revision)) }
  for _ in 0..<5 {
    let clock = ContinuousClock()
    let t = try await clock.measure { s = try await tree.snapshot(since: Known(base, on: .local)) }
    let t2 = try await clock.measure { s = try await tree.snapshot(since: Known(base, on: .local, filter: PathFilter(ignore: DefaultIgnores.lines))) }
    print(t, t2, s.count)
  }
}
struct NoJournal: Journal {
  func records() async throws(SyncError) -> [String: [UInt8]] { [:] }
  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {}
}
struct NoContents: ContentLibrary {
  func content(_ digest: Digest) async throws(SyncError) -> Content? { nil }
  func intake(keepingAtMost limit: Int) -> any ContentSink { fatalError() }
  func flush() async throws(SyncError) {}
}
