import SyncKit

/// Which devices there are, and with which remotes each of them syncs.
struct Topology: Sendable {
  /// The remotes of each device, in the order of the settings; all devices together are connected.
  let remotes: [[Int]]

  var remoteCount: Int { (remotes.joined().max() ?? 0) + 1 }

  /// Two or three devices and one or two remotes.
  /// - Parameter isTree: Whether there is only one way from each place to each other, so that no version can arrive by one
  ///   way after a newer one has come by another.
  static func random(isTree: Bool, _ generator: inout SplitMix64) -> Topology {
    let choices: [[[Int]]] =
      isTree
      ? [[[0], [0]], [[0, 1], [0]], [[0, 1], [0], [1]], [[0], [0], [0]], [[0], [0, 1], [1]]]
      : [[[0], [0]], [[0, 1], [0, 1]], [[0, 1], [1, 0], [0]], [[0], [0], [0]], [[0, 1], [0, 1], [1, 0]]]
    return Topology(remotes: choices[Int.random(in: 0..<choices.count, using: &generator)])
  }
}
