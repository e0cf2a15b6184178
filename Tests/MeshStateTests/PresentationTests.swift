import MeshState
import SyncKit
import Testing

@Suite("What a path of a mesh presents")
struct PresentationTests {
  private let path = SyncPath(trusted: Array("a.org".utf8))
  private let contents = (0..<4).map { Digest(of: [UInt8($0)]) }.sorted()

  private func state(_ writer: UInt64) -> MeshState { MeshState(writer: Writer(id: writer)) }

  private func joined(_ one: MeshState, _ other: MeshState) -> MeshState {
    var state = one
    state.join(other) { _ in true }
    return state
  }

  @discardableResult
  private func write(_ content: Int, _ state: inout MeshState) -> Dot {
    state.write(contents[content], size: 1, at: path, replacing: Set(state[path].map(\.dot)), milliseconds: 0)
  }

  /// Two devices that know each other's edit of one version: contents 1 and 2, which were 0.
  private func edited() -> (MeshState, MeshState) {
    var a = state(1)
    write(0, &a)
    var b = joined(state(2), a)
    write(1, &a)
    write(2, &b)
    return (joined(a, b), joined(b, a))
  }

  @Test("nothing is presented where no version is")
  func nothing() { #expect(state(1).presentation(of: path, agreed: nil) == nil) }

  @Test("versions with one content are one")
  func equal() {
    var (a, b) = (state(1), state(2))
    let dots = [write(0, &a), write(0, &b)]
    let present = joined(a, b).presentation(of: path, agreed: (contents[0], [dots[0]]))
    #expect(present == Presentation(digest: contents[0], size: 1, dots: Set(dots), concurrent: nil))
  }

  @Test("of several contents, the agreed one is not presented, and the smallest other is, with the ancestor")
  func concurrent() {
    var a = state(1)
    write(3, &a)
    var (b, c) = (joined(state(2), a), joined(state(3), a))
    let agreed = write(1, &a)
    let others = [write(2, &b), write(0, &c)]
    let all = joined(joined(a, b), c)
    let present = all.presentation(of: path, agreed: (contents[1], [agreed]))
    #expect(present?.digest == contents[0] && present?.concurrent == Concurrency(ancestor: contents[3]))
    #expect(present?.dots == [agreed, others[1]])
    // Without an agreement, the device's own version comes first.
    #expect(all.presentation(of: path, agreed: nil)?.digest == contents[1])
    let seenByC = joined(c, all)
    #expect(seenByC.presentation(of: path, agreed: nil)?.digest == contents[0])
    #expect(seenByC.presentation(of: path, agreed: nil)?.concurrent == nil)
  }

  @Test("a version that descends from the agreed one comes before a smaller one")
  func descendant() {
    var a = state(1)
    let agreed = write(3, &a)
    var b = joined(state(2), a)
    write(1, &b)
    var c = state(3)
    write(0, &c)
    let all = joined(joined(state(4), b), c)
    #expect(all.presentation(of: path, agreed: (contents[3], [agreed]))?.digest == contents[1])
    #expect(all.presentation(of: path, agreed: nil)?.digest == contents[0])
    // A revision that names no version proves no descent.
    #expect(all.presentation(of: path, agreed: (contents[3], []))?.digest == contents[0])
  }

  @Test("the last common ancestors count, and what these go back to")
  func ancestors() {
    var a = state(1)
    write(3, &a)
    write(2, &a)
    var b = joined(state(2), a)
    write(1, &a)
    write(0, &b)
    #expect(MeshState.concurrency(of: a[path], and: b[path]) == Concurrency(ancestor: contents[2]))
    // Two devices merge the same two versions, differently.
    var (x, y) = (state(3), state(4))
    write(2, &x)
    write(1, &y)
    var (one, two) = (joined(x, y), joined(y, x))
    write(0, &one)
    write(3, &two)
    #expect(
      MeshState.concurrency(of: one[path], and: two[path])
        == Concurrency(ancestors: [contents[1], contents[2]], origin: nil))
    #expect(MeshState.concurrency(of: x[path], and: y[path]) == Concurrency(ancestor: nil))
  }

  @Test("two ancestors of a merge are known after later edits of either device, with what they go back to")
  func united() {
    var (a, b) = edited()
    write(3, &a)
    write(3, &b)
    for _ in 0..<2 {
      write(0, &a)
      write(3, &b)
      write(0, &b)
    }
    let concurrency = MeshState.concurrency(of: a[path], and: b[path])
    #expect(concurrency == Concurrency(ancestors: [contents[1], contents[2]], origin: contents[0]))
  }

  @Test("two contents that two devices united differently have no ancestor, whatever else is known")
  func disputed() {
    var (a, b) = edited()
    write(1, &a)
    write(2, &b)
    #expect(MeshState.concurrency(of: a[path], and: b[path]) == Concurrency(ancestor: nil))
    #expect(MeshState.concurrency(of: b[path], and: a[path]) == Concurrency(ancestor: nil))
  }

  @Test("a lineage keeps what was replaced, the latest of each other writer, and the last ones before")
  func lineage() {
    var states = (0..<40).map { state(UInt64($0)) }
    for round in 0..<3 {
      for index in states.indices {
        if index > 0 { states[index] = joined(states[index], states[index - 1]) }
        write((round + index) % 4, &states[index])
      }
      states[0] = joined(states[0], states[39])
    }
    let version = states[39][path][0]
    #expect(version.lineage.count == MeshVersion.lineageLimit && version.depth == 120)
    #expect(version.lineage.map(\.depth) == (104..<120).reversed().map(UInt64.init))
  }
}
