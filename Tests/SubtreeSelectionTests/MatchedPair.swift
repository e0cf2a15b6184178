import OrgMerging
import SyncKit
import SyncKitTesting
import Synchronization

@testable import SubtreeSelection

/// A store with whole files and a remote with `match`, in memory, with everything that passes need.
final class MatchedPair: Sendable {
  let store: MemoryReplica
  let remote: MemoryReplica
  let archive = MemoryArchive()
  let rule: MatchRule
  let conflicts: ConflictPolicy
  /// Everything that was ever written to the remote: names and contents.
  private let writtenToRemote = Mutex<Set<String>>([])
  /// The same since the last `takeWritten`, byte for byte.
  private let fresh = Mutex<[(name: String, bytes: [UInt8])]>([])
  /// The number of commits after which the process dies; negative for never.
  private let commitsBeforeDeath = Mutex(-1)
  /// The action of another program before the next commit to a side.
  private let intrusion = Mutex<(side: Side, action: @Sendable () async -> Void)?>(nil)

  init(_ match: String = "+mobile-private", isFirm: Bool = true, conflicts: ConflictPolicy = .merge) throws {
    guard let rule = MatchRule(match) else { throw SyncError(.invalidSettings, match) }
    self.rule = rule
    self.conflicts = conflicts
    store = MemoryReplica(address: "store", identity: "disk", isFirm: isFirm)
    remote = MemoryReplica(address: "remote", isFirm: isFirm)
  }

  func parts(_ rule: MatchRule?) -> PassParts {
    let filter = PathFilter().narrowed(include: rule == nil ? [] : MatchRule.patterns, ignore: [])
    let remoteParts = RemoteParts(
      name: "phone", device: Device(id: "laptop", name: "laptop"), runtime: .real, contents: archive,
      journal: archive.journal(of: "phone"))
    let store = Mortal(
      replica: store, beforeCommit: { [self] () throws(SyncError) in try live() },
      onCommit: { [self] _ in await intrude(.local) })
    let remote = Mortal(
      replica: remote, beforeCommit: { [self] () throws(SyncError) in try live() },
      onCommit: { [self] changes in
        await intrude(.remote)
        for change in changes {
          let bytes = (try? await change.content?.bytes()) ?? []
          fresh.withLock { $0.append((change.path.description, bytes)) }
          writtenToRemote.withLock {
            _ = $0.insert(change.path.description)
            _ = $0.insert(String(decoding: bytes, as: UTF8.self))
          }
        }
      })
    var parts = PassParts(
      name: "phone", local: store, remote: remote, archive: archive, merger: OrgMerger(),
      device: Device(id: "laptop", name: "laptop"),
      options: PassOptions(filter: filter, conflicts: conflicts, deletions: .count(.max)))
    if let rule {
      let files = WholeFiles()
      parts.local = MatchingStore(store, rule, remoteParts, files: files)
      parts.wholeFiles = files
    }
    return parts
  }

  private func live() throws(SyncError) {
    let isDead = commitsBeforeDeath.withLock { count in
      if count > 0 { count -= 1 }
      return count == 0
    }
    if isDead { throw SyncError(.unexpected, "the process was killed") }
  }

  /// Runs passes until none has anything to do.
  @discardableResult func run() async -> PassReport {
    commitsBeforeDeath.withLock { $0 = -1 }
    return await SyncRun([parts(rule)]).run()[0]
  }

  /// Runs one pass that dies at the commit with this number.
  func runUntilKilled(at commit: Int) async {
    commitsBeforeDeath.withLock { $0 = commit }
    _ = await SyncPass(parts(rule)).run()
    await archive.crash()
  }

  /// Runs a pass during which another program does something: before the first commit to a side, or else after the pass.
  func runInterrupted(on side: Side, _ action: @escaping @Sendable () async -> Void) async {
    intrusion.withLock { $0 = (side, action) }
    _ = await SyncPass(parts(rule)).run()
    await intrude(side)
  }

  private func intrude(_ side: Side) async {
    let action: (@Sendable () async -> Void)? = intrusion.withLock { intrusion in
      guard intrusion?.side == side else { return nil }
      defer { intrusion = nil }
      return intrusion?.action
    }
    await action?()
  }

  /// Everything that the remote has, and that was ever written to it.
  func everInRemote() async -> String {
    let now = await texts(remote)
    let written = writtenToRemote.withLock { $0.joined(separator: "\n") }
    return written + now.keys.joined(separator: "\n") + now.values.joined(separator: "\n")
  }

  /// The names and contents that passes have written to the remote.
  var written: String { writtenToRemote.withLock { $0.joined(separator: "\n") } }

  /// The names and contents that passes have written to the remote since the last call.
  func takeWritten() -> [(name: String, bytes: [UInt8])] {
    fresh.withLock { fresh in
      defer { fresh = [] }
      return fresh
    }
  }

  /// Makes these the files of a replica, as an editor would: only files that differ are written.
  func set(_ files: [String: [UInt8]], in replica: MemoryReplica) async {
    let present = await bytes(replica)
    for name in present.keys where files[name] == nil { await put(nil, at: name, in: replica) }
    for (name, bytes) in files where present[name] != bytes { await put(bytes, at: name, in: replica) }
  }

  func put(_ bytes: [UInt8], at name: String, in replica: MemoryReplica) async {
    guard let path = SyncPath(name) else { return }
    await replica.put(Content(bytes), at: path)
  }

  func bytes(_ replica: MemoryReplica) async -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for (path, content) in await replica.contents { files[path.description] = (try? await content.bytes()) ?? [] }
    return files
  }

  func texts(_ replica: MemoryReplica) async -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in await replica.contents {
      texts[path.description] = String(decoding: (try? await content.bytes()) ?? [], as: UTF8.self)
    }
    return texts
  }

  /// The files of the remote without its marker.
  func remoteTexts() async -> [String: String] { await texts(remote).filter { $0.key.hasSuffix(".org") } }

  func put(_ text: String?, at name: String, in replica: MemoryReplica) async {
    guard let path = SyncPath(name) else { return }
    if let text { await replica.put(Content(Array(text.utf8)), at: path) } else { await replica.take(path) }
  }
}

/// A replica whose process can die before a commit.
private struct Mortal: ReplicaAround {
  let replica: any Replica
  var beforeCommit: @Sendable () throws(SyncError) -> Void
  var onCommit: @Sendable ([Change]) async -> Void = { _ in }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try beforeCommit()
    await onCommit(changes)
    let results = try await replica.commit(changes)
    return results
  }
}
