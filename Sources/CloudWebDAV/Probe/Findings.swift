internal import SyncKit

extension WebDAVStorage {
  /// Probes the server anew, whatever was known of it.
  func diagnose() async throws(SyncError) -> [Finding] {
    guard try await server.children(of: nil) != nil else {
      return [
        Finding(
          .note, "\(address) can be reached and is not there yet; the first sync makes it if its parent is there")
      ]
    }
    let traits = try await Probe.run(on: server)
    let listing = try await list(since: Known())
    let room = try await server.room()
    return [Finding(.good, "\(address) is reachable and holds \(listing.count.counted("file"))")]
      + [room.map(Self.finding)].compactMap(\.self)
      + [traits.product.map { Finding(.good, "the server calls itself \($0)") }].compactMap(\.self)
      + [
        traits.safety(allowsUnsafeWrites), traits.updating, traits.creating, traits.removing, traits.telling,
        traits.news,
      ]
      + traits.limits + listing.unread.map { Finding(.problem, "\($0.path) cannot be listed") }
  }

  private static func finding(room: Int) -> Finding {
    room < 1 << 20
      ? Finding(.problem, "there is no room left there; remove something, or ask for more")
      : Finding(.good, "there is room for \(room >> 20) MiB more")
  }
}

/// What was seen, in words.
extension Traits {
  fileprivate func safety(_ isAllowed: Bool) -> Finding {
    switch replacement {
    case .conditional:
      return Finding(.good, "two devices that write at the same time cannot overwrite each other's edits")
    case .moves:
      return Finding(
        .good,
        "two devices that write at the same time cannot overwrite each other's edits; while a file is replaced its name may be missing for a moment"
      )
    case .unsafe:
      let reason =
        "the server can neither keep two writers apart nor move files without overwriting, so an edit can be lost when two devices write within the same second"
      return isAllowed
        ? Finding(.note, reason + "; `unsafe-writes` allows it")
        : Finding(.problem, reason + "; nothing is written there unless `unsafe-writes = true` is set")
    }
  }

  fileprivate var updating: Finding {
    let way =
      switch update {
      case .condition: "by an upload that the server refuses if somebody was faster"
      case .lock(moving: false): "under a lock, by one upload"
      case .lock(moving: true): "under a lock, by moving a complete upload in, because the server shows half uploads"
      case .moves: "by moving the old version aside, looking at it, and moving the new one in"
      case .unsafe: "by looking, then overwriting"
      }
    return Finding(update == .unsafe ? .note : .good, "a file is replaced \(way)")
  }

  fileprivate var creating: Finding {
    createsDirectly
      ? Finding(.good, "a new file is created by one upload that never overwrites")
      : Finding(
        movesWithoutOverwriting ? .good : .note,
        "a new file is uploaded beside its place and moved there"
          + (movesWithoutOverwriting ? ", which never overwrites" : "; the move may overwrite"))
  }

  fileprivate var removing: Finding {
    let way =
      switch removal {
      case .condition: "under a condition"
      case .lock: "under a lock"
      case .moves: "after it was moved aside and looked at"
      case .unsafe: "after a look"
      }
    return Finding(removal == .unsafe ? .note : .good, "a file is removed \(way)")
  }

  fileprivate var telling: Finding {
    tagsAreFine
      ? Finding(.good, "every version of a file has a tag of its own")
      : Finding(
        .note,
        "versions are told apart by size and whole seconds only; files that were changed within the last seconds are read again"
      )
  }

  fileprivate var news: Finding {
    tagsReachUp && tagsAreFine
      ? Finding(.good, "a folder's tag changes with everything below it, so folders without news are not listed")
      : Finding(.note, "a folder's tag tells nothing of what is below it, so each folder is listed in each pass")
  }

  fileprivate var limits: [Finding] {
    var limits: [Finding] = []
    if !replacesAtOnce {
      limits.append(
        Finding(.note, "readers see half of what other programs upload; what is young is read when it is at rest"))
    }
    if !listsDotNames {
      limits.append(Finding(.note, "names that begin with a dot are never listed, so such files are not synced"))
    }
    if foldsCase { limits.append(Finding(.note, "names that differ in case only are one file there")) }
    if foldsUnicode { limits.append(Finding(.note, "names that differ in Unicode form only are one file there")) }
    if !lostCharacters.isEmpty {
      limits.append(
        Finding(
          .note, "names with one of \(lostCharacters) do not arrive as they were sent, so such files are not synced"))
    }
    return limits
  }
}
