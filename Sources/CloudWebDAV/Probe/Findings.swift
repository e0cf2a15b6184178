internal import SyncKit

extension WebDAVStorage {
  /// Probes the server again, regardless of stored results.
  func diagnose() async throws(SyncError) -> [Finding] {
    guard try await server.children(of: nil) != nil else {
      return [
        Finding(
          .note, "\(address) is reachable but does not exist yet; the first pass creates it if its parent exists")
      ]
    }
    let traits = isReceiveOnly ? nil : try await Probe.run(on: server)
    let listing = try await list(since: Known())
    let room = try await server.room()
    return [Finding(.good, "\(address) is reachable and holds \(listing.count.counted("file"))")]
      + [room.map(Self.finding)].compactMap(\.self)
      + (traits.map(behaviour) ?? [.unprobed]) + listing.unread.map { Finding(.problem, "cannot list \($0.path)") }
  }

  private func behaviour(_ traits: Traits) -> [Finding] {
    [traits.product.map { Finding(.good, "the server reports itself as \($0)") }].compactMap(\.self)
      + [
        traits.safety(allowsUnsafeWrites), traits.updating, traits.creating, traits.removing, traits.reading,
        traits.listing,
      ]
      + traits.limits
  }

  private static func finding(room: Int) -> Finding {
    room < 1 << 20
      ? Finding(.problem, "no space left on the server; remove files or increase the quota")
      : Finding(.good, "\(room >> 20) MiB free on the server")
  }
}

/// The traits as text.
extension Traits {
  fileprivate func safety(_ isAllowed: Bool) -> Finding {
    switch replacement {
    case .conditional, .moves:
      return Finding(
        .good,
        "two devices that write at the same time cannot overwrite each other's edits; a file may be missing for a moment while it is replaced"
      )
    case .unsafe:
      let reason = "the server overwrites files on a move, so concurrent edits can be lost"
      return isAllowed
        ? Finding(.note, reason + "; `unsafe-writes` allows it")
        : Finding(.problem, reason + "; syncd does not write there unless `unsafe-writes = true`")
    }
  }

  fileprivate var updating: Finding {
    let method =
      switch update {
      case .condition: "with a conditional upload"
      case .lock(moving: false): "under a lock, with one upload"
      case .lock(moving: true):
        "under a lock, with an upload beside it and a move, because the server shows incomplete uploads"
      case .moves: "by moving the old version aside, checking it, and moving the new one in"
      case .unsafe: "by looking, then overwriting"
      }
    return Finding(update == .unsafe ? .note : .good, "syncd replaces a file \(method)")
  }

  fileprivate var creating: Finding {
    createsDirectly
      ? Finding(.good, "syncd creates a file with one upload that never overwrites")
      : Finding(
        movesWithoutOverwriting ? .good : .note,
        "syncd creates a file with an upload beside it and a move"
          + (movesWithoutOverwriting ? ", which never overwrites" : "; the move may overwrite"))
  }

  fileprivate var removing: Finding {
    let method =
      switch removal {
      case .condition: "with a condition"
      case .lock: "under a lock"
      case .moves: "after moving it aside and checking it"
      case .unsafe: "after a check"
      }
    return Finding(removal == .unsafe ? .note : .good, "syncd removes a file \(method)")
  }

  fileprivate var reading: Finding {
    tagsAreFine
      ? Finding(.good, "every version of a file has its own entity tag")
      : Finding(
        .note,
        "the server distinguishes versions only by size and whole seconds; recently changed files are read again"
      )
  }

  fileprivate var listing: Finding {
    tagsReachUp && tagsAreFine
      ? Finding(.good, "a folder's entity tag changes with everything below it, so unchanged folders are not listed")
      : Finding(.note, "a folder's entity tag does not cover what is below it, so each pass lists every folder")
  }

  fileprivate var limits: [Finding] {
    var limits: [Finding] = []
    if !replacesAtOnce {
      limits.append(
        Finding(
          .note,
          "readers see incomplete uploads of other programs; recently changed files are read once they stay unchanged"))
    }
    if !listsDotNames {
      limits.append(Finding(.note, "the server never lists names that begin with a dot, so such files are not synced"))
    }
    if foldsCase { limits.append(Finding(.note, "the server does not distinguish upper and lower case in names")) }
    if composesNames || decomposesNames {
      limits.append(
        Finding(
          .note,
          "the server lists names in \(composesNames ? "composed" : "decomposed") Unicode form; files whose names have another "
            + "form are not synced"))
    }
    if !keepsNames {
      limits.append(Finding(.note, "the server alters names; files whose names it alters are not synced"))
    }
    if foldsUnicode { limits.append(Finding(.note, "the server does not distinguish Unicode forms in names")) }
    if !lostCharacters.isEmpty {
      limits.append(
        Finding(
          .note, "the server alters names with one of \(lostCharacters), so such files are not synced"))
    }
    return limits
  }
}
