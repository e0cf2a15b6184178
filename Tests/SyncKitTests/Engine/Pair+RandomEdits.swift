import SyncKitTesting
import Synchronization

@testable import SyncKit

extension Pair {
  private static let names = ["a.org", "b.txt", "x", "x/a", "x/b", "d/e/f.org", "old", "new", "A.org"]

  /// Edits each side up to three times; `number` is that of the last edit.
  func editBothSides(_ number: inout Int, _ random: inout SplitMix64) async {
    for side in Side.allCases {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        number += 1
        await editRandomly(side, number, &random)
      }
    }
  }

  /// Writes, removes or renames a file; a folder never has the name of a file on the same side.
  private func editRandomly(_ side: Side, _ number: Int, _ random: inout SplitMix64) async {
    let files = await texts(side)
    let name = Self.names.randomElement(using: &random) ?? ""
    let isBlocked = files.keys.contains { $0.hasPrefix(name + "/") || name.hasPrefix($0 + "/") }
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where files[name] != nil: await edit(side, [name: nil])
    case 1 where !isBlocked && files[name] == nil:
      guard let old = Self.names.filter({ files[$0] != nil }).randomElement(using: &random), let text = files[old],
        !name.hasPrefix(old + "/")
      else { return }
      await edit(side, [old: nil])
      await edit(side, [name: text])
    case 2 where !isBlocked: await edit(side, [name: (files[name] ?? "") + "\(side) \(number);"])
    default: if !isBlocked { await edit(side, [name: "\(side) \(number);"]) }
    }
  }

  /// A random share of all changes has a wrong result: at most `limit` eighths.
  func failRandomly(upTo limit: Int, _ random: inout SplitMix64) async {
    let (seed, share) = (random.next(), Int.random(in: 0...limit, using: &random))
    for side in Side.allCases {
      let random = Mutex(SplitMix64(state: seed))
      let isHit: @Sendable () -> Int? = {
        random.withLock { random in
          guard Int.random(in: 0..<8, using: &random) < share else { return nil }
          return Int.random(in: 0..<4, using: &random)
        }
      }
      put(around: side) { replica in
        Interference(
          replica: replica,
          answer: { _ in
            switch isHit() {
            case 0: .refused(nil)
            case 1: .postponed("busy")
            case 2: .failed(SyncError(.pathFailed, "no"))
            default: nil
            }
          },
          reply: { _, result in isHit() == 3 ? .unknown(SyncError(.unavailable, "lost")) : result })
      }
    }
  }

  /// Returns those of the versions that are neither live nor in the archive.
  func missing(from versions: Set<String>) async -> [String] {
    let live = Set(await texts(.local).values).union(await texts(.remote).values)
    let kept = Set(await archive.library.all.keys)
    return versions.filter { !live.contains($0) && !kept.contains(digest($0)) }.sorted()
  }
}
