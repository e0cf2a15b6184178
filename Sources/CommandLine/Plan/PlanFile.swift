import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A plan that `syncd plan` has written and `syncd apply` carries out: what each file becomes, with the versions of both sides.
struct PlanFile: Decodable {
  var version = 1
  /// When the plan was made.
  var created: String
  /// The device that made it.
  var device: String
  /// The folder of the store; nil if it is not a folder.
  var store: String?
  var remotes: [Remote]

  struct Remote: Decodable {
    var name: String
    var changes: [Change]
    /// The deletions that `--allow-deletions` approved.
    var approved: [Deletion]
  }

  /// The change of one file.
  struct Change: Decodable {
    var path: String
    var action: String
    var to: String
    var detail = ""
    var local: Version
    var remote: Version
    /// The version on both sides after the change; nil if the file is removed.
    var after: String?

    private enum CodingKeys: String, CodingKey {
      case path, action, to, local, remote, after
    }
  }

  /// The state of one side before a change.
  struct Version: Decodable {
    /// Nil if the side has no such file.
    var digest: String?
    /// The headings that the side loses and gains, for Org files.
    var lost: [String] = []
    var gained: [String] = []

    private enum CodingKeys: String, CodingKey { case digest }
  }

  /// An approved deletion.
  struct Deletion: Decodable, Hashable {
    var path: String
    var digest: String
    var side: String
  }

  private enum CodingKeys: String, CodingKey { case version, created, device, store, remotes }

  /// True if a sync would change nothing.
  var isEmpty: Bool { remotes.allSatisfy { $0.changes.isEmpty } }
}

extension PlanFile {
  /// Reads a plan from a file.
  init(at path: String) throws(SyncError) {
    let bytes = try LocalFile.read(path)
    do { self = try JSONDecoder().decode(PlanFile.self, from: Data(bytes)) } catch {
      throw SyncError(.pathFailed, "\(path) is not a plan of syncd; write one with `syncd plan --out \(path)`")
    }
    guard version == 1 else {
      throw SyncError(.otherVersion, "\(path) was written by a newer version of syncd; make the plan again")
    }
  }

  /// The plan as it is written.
  var json: JSON {
    [
      "version": .integer(version), "created": .string(created), "device": .string(device),
      "store": store.map(JSON.string) ?? .null,
      "remotes": .array(
        remotes.map { remote in
          [
            "name": .string(remote.name), "changes": .array(remote.changes.map(\.json)),
            "approved": .array(
              remote.approved.map {
                ["path": .string($0.path), "digest": .string($0.digest), "side": .string($0.side)]
              }),
          ]
        }),
    ]
  }
}

extension PlanFile.Change {
  /// Describes a planned change, without headings.
  init(_ change: PlannedChange, detail: String = "") {
    self.init(
      path: change.path.description, action: change.kind.rawValue, to: change.to.rawValue, detail: detail,
      local: PlanFile.Version(digest: change.local?.description),
      remote: PlanFile.Version(digest: change.remote?.description), after: change.after?.description)
  }

  /// The change; nil if the file has been damaged.
  var planned: PlannedChange? {
    guard let path = SyncPath(bytes: EscapedText.bytes(of: path)), let kind = Action.Kind(rawValue: action),
      let target = Action.Target(rawValue: to)
    else { return nil }
    return PlannedChange(
      path: path, kind: kind, to: target, local: local.digest.flatMap(Digest.init(hexadecimal:)),
      remote: remote.digest.flatMap(Digest.init(hexadecimal:)), after: after.flatMap(Digest.init(hexadecimal:)))
  }

  fileprivate var json: JSON {
    [
      "path": .string(path), "action": .string(action), "to": .string(to), "detail": .string(detail),
      "local": local.json, "remote": remote.json, "after": after.map(JSON.string) ?? .null,
    ]
  }
}

extension PlanFile.Version {
  fileprivate var json: JSON {
    [
      "digest": digest.map(JSON.string) ?? .null, "headings-lost": .array(lost.map(JSON.string)),
      "headings-gained": .array(gained.map(JSON.string)),
    ]
  }
}

extension PlanFile.Deletion {
  init(_ item: HeldItem) {
    self.init(path: item.path.description, digest: item.digest.description, side: item.side.rawValue)
  }

  /// The deletion; nil if the file has been damaged.
  var item: HeldItem? {
    guard let path = SyncPath(bytes: EscapedText.bytes(of: path)), let digest = Digest(hexadecimal: digest),
      let side = Side(rawValue: side)
    else { return nil }
    return HeldItem(path: path, digest: digest, side: side)
  }
}

extension PlanFile.Remote {
  /// What a user has reviewed; throws if the plan is damaged.
  func review(of plan: String) throws(SyncError) -> RemoteReview {
    let planned = changes.compactMap(\.planned)
    let deletions = approved.compactMap(\.item)
    guard planned.count == changes.count, deletions.count == approved.count else {
      throw SyncError(.pathFailed, "the plan \(plan) is damaged; make it again with `syncd plan`")
    }
    return RemoteReview(changes: Set(planned), approved: Set(deletions))
  }
}
