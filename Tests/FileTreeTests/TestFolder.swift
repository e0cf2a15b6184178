import CPOSIX
import Foundation
import ProgramTesting
import SyncKit
import Synchronization

@testable import FileTree

/// A unique folder for one test, with a tree below it; removed with its owner.
final class TestFolder: Sendable {
  /// The folder around the tree, which tests may change.
  let outer: String
  /// The root of the tree.
  let path: String
  let journal = MemoryJournal()
  let library = MemoryLibrary()

  init(in parent: String = NSTemporaryDirectory()) {
    outer = parent + "/file-tree-\(UUID().uuidString)"
    path = outer + "/root"
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    _ = try? FileManager.default.removeItem(atPath: outer)
  }

  /// A tree for the folder; `edit` runs at each failpoint.
  func tree(
    device: String = "device", runtime: Runtime = .real, isModern: Bool = true,
    at edit: @escaping @Sendable (TreeFailpoint) throws(SyncError) -> Void = { _ in }
  ) -> FileTree {
    let parts = RemoteParts(
      name: "store", device: Device(id: device, name: "laptop"), runtime: runtime, contents: library,
      journal: journal)
    var tree = FileTree(path: path, parts: parts)
    tree.reach = edit
    tree.isModern = isModern
    return tree
  }

  func write(_ text: String, to name: String) {
    let file = path + "/" + name
    let folder = (file as NSString).deletingLastPathComponent
    try! FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let descriptor = unsafe posix_openat(AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    precondition(descriptor >= 0)
    let bytes = Array(text.utf8)
    precondition(unsafe CPOSIX.write(descriptor, bytes, bytes.count) == bytes.count)
    endWriting(descriptor)
  }

  /// Closes a file, so that no program has it open for writing.
  func endWriting(_ descriptor: CInt) {
    close(descriptor)
    Command.finishStarting()
  }

  /// Saves like many editors: a new file is renamed over the old one.
  func replace(_ name: String, by text: String) {
    write(text, to: name + ".new")
    precondition(unsafe rename(path + "/" + name + ".new", path + "/" + name) == 0)
  }

  /// Gives a file another name as well.
  func link(_ name: String, as other: String) {
    let (file, link) = (path + "/" + name, path + "/" + other)
    precondition(unsafe CPOSIX.link(file, link) == 0)
  }

  /// The names of files that have more than one name below the root.
  var sharedNames: [String] {
    let files = names.filter { !$0.hasSuffix("/") }
    return Dictionary(grouping: files) { facts($0)?.inode }.values.filter { $0.count > 1 }.flatMap(\.self)
  }

  func facts(_ name: String) -> FileFacts? {
    var facts = stat()
    return unsafe lstat(path + "/" + name, &facts) == 0 ? FileFacts(facts) : nil
  }

  func remove(_ name: String) { precondition(unsafe unlink(path + "/" + name) == 0) }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// All names below the root, folders with a slash.
  var names: [String] {
    let all = FileManager.default.subpaths(atPath: path) ?? []
    return all.map { name in
      var isFolder: ObjCBool = false
      let exists = unsafe FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
      return exists && isFolder.boolValue ? name + "/" : name
    }.sorted()
  }

  var conflictCopies: [String] { names.filter { $0.contains(".conflict-") } }

  var temporaries: [String] { names.filter { $0.contains(".syncd-") } }

  /// Waits until all files look as if they had been written a minute ago.
  func settleDown() async throws { try await Task.sleep(for: .milliseconds(60)) }
}

/// A journal in memory.
final class MemoryJournal: Journal {
  private let stored = Mutex<[String: [UInt8]]>([:])
  private let writes = Mutex(0)

  var count: Int { stored.withLock { $0.count { $0.key.hasPrefix("tree.intent.") } } }
  var writeCount: Int { writes.withLock { $0 } }

  func records() async throws(SyncError) -> [String: [UInt8]] { stored.withLock { $0 } }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {
    writes.withLock { $0 += 1 }
    stored.withLock { stored in
      for (key, value) in records { stored[key] = value }
    }
  }
}

/// A library that accepts contents and returns none.
final class MemoryLibrary: ContentLibrary {
  let collector = Collector()
  var texts: [String] { collector.contents.map { String(decoding: $0, as: UTF8.self) } }
  func content(_ digest: Digest) async throws(SyncError) -> Content? { nil }
  func intake(keepingAtMost limit: Int) -> any ContentSink { collector }
  func flush() async throws(SyncError) {}
  func keep(_ versions: [SyncKit.Version]) async throws(SyncError) {}
}

/// A sink that keeps the bytes of every content.
final class Collector: ContentSink {
  private let stored = Mutex<[[UInt8]]>([])

  var contents: [[UInt8]] { stored.withLock { $0 } }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = Intake()
    try await body(intake)
    let bytes = intake.bytes.withLock { $0 }
    stored.withLock { $0.append(bytes) }
    return (Digest(of: bytes), bytes.count)
  }

  private final class Intake: ContentIntake {
    let bytes = Mutex<[UInt8]>([])
    func write(_ chunk: [UInt8]) async throws(SyncError) { bytes.withLock { $0 += chunk } }
  }
}

extension Content {
  init(_ text: String) { self.init(Array(text.utf8)) }
}

extension WriteResult {
  var isDone: Bool { if case .done = self { true } else { false } }
  var isRefused: Bool { if case .refused = self { true } else { false } }
  var isPostponed: Bool { if case .postponed = self { true } else { false } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  var entry: Entry? {
    switch self {
    case .done(let entry), .refused(let entry): entry
    default: nil
    }
  }
  var failure: SyncError? { if case .failed(let error) = self { error } else { nil } }
}

extension FileTree {
  func create(_ path: SyncPath, _ text: String) async throws -> WriteResult {
    try await commit([Change(path: path, content: Content(text), condition: .absent)])[0]
  }

  /// Replaces a file whose last known content is `old`.
  func replace(_ path: SyncPath, _ old: String, by new: String?) async throws -> WriteResult {
    try await commit([
      Change(
        path: path, content: new.map { Content($0) }, condition: .unchanged(Revision("as it was")),
        replaced: Content(old))
    ])[0]
  }

  /// One pass of the engine, as seen by a tree.
  @discardableResult
  func pass() async throws -> Snapshot {
    try await recover()
    return try await list(since: Known())
  }
}

let a = SyncPath("a.org")!
