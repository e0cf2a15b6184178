import SyncKit

/// The devices, and the remotes that each of them syncs with.
struct Topology: Sendable {
  /// The remotes of each device, in the order of the settings; all devices are connected.
  let remotes: [[Int]]

  var remoteCount: Int { (remotes.joined().max() ?? 0) + 1 }

  /// Two or three devices and one or two remotes.
  /// - Parameter isTree: True if there is only one route between any two places, so that no version can arrive by one route
  ///   after a newer one has come by another.
  static func random(isTree: Bool, _ generator: inout SplitMix64) -> Topology {
    let choices: [[[Int]]] =
      isTree
      ? [[[0], [0]], [[0, 1], [0]], [[0, 1], [0], [1]], [[0], [0], [0]], [[0], [0, 1], [1]]]
      : [[[0], [0]], [[0, 1], [0, 1]], [[0, 1], [1, 0], [0]], [[0], [0], [0]], [[0, 1], [0, 1], [1, 0]]]
    return Topology(remotes: choices[Int.random(in: 0..<choices.count, using: &generator)])
  }
}
