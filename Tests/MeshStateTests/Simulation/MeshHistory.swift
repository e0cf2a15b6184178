import SyncKit

/// The history of a seed: two to eight devices of one mesh, and what happens to them.
struct MeshHistory: Sendable {
  /// What makes a history hard.
  enum Kind: Sendable {
    /// All devices edit the same files, crash, and are restored from backups.
    case rough
    /// The same, and at the end all devices exchange their states and sync at the same instant, round after round.
    case simultaneous
    /// Each file is edited by one device and deleted by any; nothing crashes. Then the result follows from the history alone.
    case alone
  }

  let kind: Kind
  let deviceCount: Int
  /// The difference of each device's clock to the right time, in milliseconds.
  let clockErrors: [Int64]
  let steps: [MeshStep]

  init(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let kinds: [Kind] = [.rough, .rough, .simultaneous, .alone]
    kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
    deviceCount = Int.random(in: 2...8, using: &generator)
    clockErrors = (0..<deviceCount).map { _ in Int64.random(in: -36_000_000...36_000_000, using: &generator) }
    var steps: [MeshStep] = []
    for _ in 0..<Int.random(in: 20...120, using: &generator) {
      steps.append(MeshStep.random(of: kind, deviceCount, &generator))
    }
    self.steps = steps
  }
}

/// One step of a history. It is independent of other steps, so that they can be omitted.
struct MeshStep: Sendable {
  enum Kind: Sendable {
    /// A person changes a file.
    case edit(MeshEdit)
    /// The device syncs its store with its state; it is killed at a moment, if there is one.
    case pass(killedAt: Int?)
    /// The device gets the state of another one: an old one, or only the first contents of it.
    case meet(Int, old: Bool, atMost: Int)
    /// The device comes or goes.
    case toggle
    case backUp
    case restore(Restore)
  }

  /// What is restored from a backup.
  enum Restore: Sendable {
    /// The program's folder, which the program notices.
    case state
    /// The whole disk, which the program notices.
    case disk
    /// The program's folder, which only the next meeting shows.
    case unnoticed
  }

  let device: Int
  let kind: Kind
  let seed: UInt64

  static func random(of kind: MeshHistory.Kind, _ count: Int, _ generator: inout SplitMix64) -> MeshStep {
    let device = Int.random(in: 0..<count, using: &generator)
    let isRough = kind != .alone
    let number = Int.random(in: 0..<100, using: &generator)
    let step: Kind
    switch number {
    case ..<33: step = .edit(MeshEdit.allCases.randomElement(using: &generator) ?? .append)
    case ..<60:
      let isKilled = isRough && Int.random(in: 0..<4, using: &generator) == 0
      step = .pass(
        killedAt: isKilled
          ? Int.random(in: 1...(8 << Int.random(in: 0...4, using: &generator)), using: &generator) : nil)
    case ..<86:
      let other = (device + Int.random(in: 1..<count, using: &generator)) % count
      let isWhole = Bool.random(using: &generator)
      step = .meet(
        other, old: Int.random(in: 0..<7, using: &generator) == 0,
        atMost: isWhole ? .max : Int.random(in: 0...3, using: &generator))
    case ..<93: step = .toggle
    case ..<96: step = .backUp
    case ..<98 where isRough:
      let restores: [Restore] = [.state, .disk, .unnoticed]
      step = .restore(restores.randomElement(using: &generator) ?? .state)
    default: step = .pass(killedAt: nil)
    }
    return MeshStep(device: device, kind: step, seed: generator.next())
  }
}

/// A person's action on the files of one device.
enum MeshEdit: String, CaseIterable, Sendable {
  case create, append, appendAgain, replaceLine, overwrite, delete
}

extension MeshStep: CustomStringConvertible {
  var description: String {
    switch kind {
    case .edit(let edit): "a person on device \(device) makes the edit \(edit)"
    case .pass(let moment): "device \(device) syncs" + (moment.map { ", and is killed at moment \($0)" } ?? "")
    case .meet(let other, let isOld, let limit):
      "device \(device) gets \(isOld ? "an old" : "the") state of device \(other)"
        + (limit == .max ? "" : ", and at most \(limit) contents")
    case .toggle: "device \(device) comes or goes"
    case .backUp: "device \(device) is backed up"
    case .restore(let what): "device \(device) is restored: \(what)"
    }
  }
}
