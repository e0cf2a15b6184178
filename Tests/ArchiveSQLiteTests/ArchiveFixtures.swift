import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Synchronization

/// A clock that advances only when it is set.
final class TestClock: Sendable {
  private let time: Mutex<Timestamp>

  init(day: Double = 20_000) { time = Mutex(Self.moment(day)) }

  var now: Timestamp { time.withLock { $0 } }

  var day: Double {
    get { Double(now.nanoseconds) / 86_400e9 }
    set { time.withLock { $0 = Self.moment(newValue) } }
  }

  private static func moment(_ day: Double) -> Timestamp { Timestamp(nanoseconds: Int64(day * 86_400e9)) }
}

extension SyncPath {
  /// A path literal of a test, which is therefore valid.
  static func of(_ text: String) -> SyncPath { SyncPath(text)! }
}

extension Agreement {
  /// An agreement on the content `text`, with distinct revisions.
  static func on(_ path: String, _ text: String, revision: String = "1") -> Agreement {
    Agreement(
      path: .of(path), digest: Digest(of: text.utf8), local: Revision("l" + revision + text),
      remote: Revision("r" + revision + text))
  }
}

extension Base {
  var all: [Agreement] { (0..<count).map { self[$0] } }
}

extension ScratchFolder {
  /// The files without those in which SQLite's connections share their coordination.
  var durableFiles: [String: Data] { files.filter { !$0.key.hasSuffix("-shm") } }
}

extension SQLiteArchive {
  static func opened(in folder: ScratchFolder, _ clock: TestClock = TestClock()) throws -> SQLiteArchive {
    try open(in: folder.path, now: { clock.now }).get()
  }

  /// Stores `text`, and returns its digest.
  @discardableResult func take(_ text: String) async throws -> Digest {
    try await intake(keepingAtMost: .max).receive(Array(text.utf8))
  }

  /// The text of a content; nil if it is not held.
  func text(_ digest: Digest) async throws -> String? {
    guard let bytes = try await content(digest)?.bytes() else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Records agreements with the remote `home`.
  func agree(_ agreements: Agreement..., actions: [Action] = [], forget: [String] = []) async throws {
    var record = Record(remote: "home")
    record.agreements = agreements
    record.actions = actions
    record.forgotten = forget.map(SyncPath.of)
    try await self.record(record)
  }
}
