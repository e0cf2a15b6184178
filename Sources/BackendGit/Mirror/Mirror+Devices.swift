internal import GitObjects
internal import SyncKit

/// The devices that have committed to the branch, by the trailers of their commits.
extension Mirror {
  /// The number of commits that are read. The engine remembers the devices of earlier ones.
  private static let recentCommits = 50

  /// Returns the names of the devices that made the last commits, by name.
  func devices(in tip: Tip) throws(SyncError) -> [String: String] {
    var next = [tip.commit].compactMap(\.self)
    var visited: Set<ObjectID> = []
    var devices: [String: String] = [:]
    while !next.isEmpty, visited.count < Self.recentCommits {
      let id = next.removeFirst()
      guard visited.insert(id).inserted else { continue }
      let (message, parents) = try repository.message(of: id)
      next += parents
      if let name = CommitMessage.device(in: message) { devices[name] = name }
    }
    return devices
  }
}
