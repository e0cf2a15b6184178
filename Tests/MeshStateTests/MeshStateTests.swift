import MeshState
import SyncKit
import Testing

@Suite("The state of a mesh")
struct MeshStateTests {
  private static let paths = ["a", "b", "c"].compactMap { SyncPath($0) }

  /// Some devices that write, remove and meet at random; each fetches a random part of the contents.
  private struct Devices {
    var states: [MeshState]
    var held: [Set<Digest>]
    var generator: SplitMix64
    var count: UInt8 = 0

    init(seed: UInt64, count: Int = 3) {
      states = (0..<count).map { MeshState(writer: Writer(id: UInt64($0))) }
      held = Array(repeating: [], count: count)
      generator = SplitMix64(state: seed)
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func live(steps: Int) {
      for _ in 0..<steps {
        let (one, other) = (number(0..<states.count), number(0..<states.count))
        if number(0..<2) == 0 { change(one) } else { meet(one, other, share: number(0..<3)) }
      }
    }

    mutating func change(_ device: Int) {
      let path = MeshStateTests.paths[number(0..<MeshStateTests.paths.count)]
      // What the engine agreed on is one of the versions, or another one.
      let agreed = states[device][path].randomElement(using: &generator).map { ($0.digest, Set([$0.dot])) }
      let known = Bool.random(using: &generator) ? agreed : nil
      let dots = states[device].presentation(of: path, agreed: known)?.dots ?? []
      guard number(0..<4) > 0 else { return states[device].remove(dots, at: path) }
      count &+= 1
      let digest = Digest(of: [count / 2])
      held[device].insert(digest)
      states[device].write(
        digest, size: 1, at: path, replacing: dots, milliseconds: UInt64(number(0..<100)))
    }

    /// - Parameter share: 0 to fetch nothing, 1 for half of the contents, 2 for all.
    mutating func meet(_ device: Int, _ other: Int, share: Int) {
      guard device != other else { return }
      var (contents, generator) = (held[device], generator)
      states[device].join(states[other]) { version in
        if share == 2 || (share == 1 && Bool.random(using: &generator)) { contents.insert(version.digest) }
        return contents.contains(version.digest)
      }
      (held[device], self.generator) = (contents, generator)
    }
  }

  private func joined(_ one: MeshState, _ others: MeshState...) -> MeshState {
    others.reduce(into: one) { state, other in state.join(other) { _ in true } }
  }

  @Test("joining is commutative, associative and idempotent", arguments: 0..<300 as Range<UInt64>)
  func laws(seed: UInt64) {
    var devices = Devices(seed: seed)
    devices.live(steps: 30)
    let (a, b, c) = (devices.states[0], devices.states[1], devices.states[2])
    #expect(joined(a, b).agrees(with: joined(b, a)))
    #expect(joined(joined(a, b), c).agrees(with: joined(a, joined(b, c))))
    #expect(joined(a, a).agrees(with: joined(a)))
    #expect(joined(a, b, b).agrees(with: joined(a, b)))
    #expect(joined(a, b, c, a, b, c).agrees(with: joined(a, b, c)))
  }

  @Test("a state joins its own former states without a change", arguments: 0..<200 as Range<UInt64>)
  func replayed(seed: UInt64) {
    var devices = Devices(seed: seed)
    devices.live(steps: 12)
    let former = devices.states[0]
    devices.live(steps: 12)
    let result = devices.states[0].join(former) { _ in true }
    #expect(result.changed.isEmpty && !result.hasLearned)
  }

  @Test("a state lists only versions whose contents are held", arguments: 0..<200 as Range<UInt64>)
  func served(seed: UInt64) {
    var devices = Devices(seed: seed)
    for _ in 0..<40 {
      devices.live(steps: 1)
      for (state, held) in zip(devices.states, devices.held) {
        #expect(state.files.values.joined().allSatisfy { held.contains($0.digest) })
      }
    }
  }

  @Test(
    "no version of a path was made with knowledge of another one that is listed", arguments: 0..<200 as Range<UInt64>)
  func concurrent(seed: UInt64) {
    var devices = Devices(seed: seed)
    devices.live(steps: 40)
    for state in devices.states {
      for (path, versions) in state.files {
        #expect(versions == versions.sorted { $0.dot < $1.dot })
        #expect(Set(versions.map(\.dot.writer)).count == versions.count)
        for version in versions {
          #expect(versions.allSatisfy { !$0.past.covers(version.dot) })
          #expect(state.context(at: path).covers(version.dot) && !version.past.covers(version.dot))
          #expect(version.lineage.count <= MeshVersion.lineageLimit)
          #expect(version.lineage.allSatisfy { version.past.covers($0.dot) && $0.depth < version.depth })
        }
      }
    }
  }

  @Test("a content that cannot be fetched leaves its path as it is, and the others arrive")
  func waiting() {
    var (a, b) = (MeshState(writer: Writer(id: 1)), MeshState(writer: Writer(id: 2)))
    let (small, large) = (Digest(of: [1]), Digest(of: [2]))
    a.write(small, size: 1, at: Self.paths[0], replacing: [], milliseconds: 5)
    a.write(large, size: 1, at: Self.paths[1], replacing: [], milliseconds: 5)
    let result = b.join(a) { $0.digest == small }
    #expect(result.changed == [Self.paths[0]] && result.waiting == [Self.paths[1]] && b.waiting == [Self.paths[1]])
    #expect(!b.agrees(with: a))
    // A device that has not fetched a version must not seem to know of its removal.
    let later = joined(MeshState(writer: Writer(id: 3)), b, a)
    #expect(later[Self.paths[1]] == a[Self.paths[1]])
    #expect(joined(a, b)[Self.paths[1]] == a[Self.paths[1]])
    #expect(joined(b, a).agrees(with: a))
  }

  @Test("numbers grow, whatever the clock says")
  func numbers() {
    var state = MeshState(writer: Writer(id: 1))
    let times: [UInt64] = [50, 10, 0, 51, 1_000]
    var numbers: [UInt64] = []
    for time in times {
      let dots = Set(state[Self.paths[0]].map(\.dot))
      numbers.append(
        state.write(Digest(of: []), size: 0, at: Self.paths[0], replacing: dots, milliseconds: time).number)
    }
    #expect(numbers == [50, 51, 52, 53, 1_000])
  }

  @Test("a revision names its versions", arguments: [0, 1, 3])
  func revisions(count: UInt64) {
    let dots = Set((0..<count).map { Dot(writer: Writer(id: .max - $0), number: $0 << 40 + 7) })
    let revision = Revision(of: dots)
    #expect(revision.dots == dots && revision.bytes.count == 16 * Int(count))
    #expect(Revision(bytes: [1, 2, 3]).dots == nil)
  }
}
