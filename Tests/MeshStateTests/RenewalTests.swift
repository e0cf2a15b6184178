import MeshState
import SyncKit
import Testing

/// A device whose state was restored from a backup or copied to another device.
@Suite("A restored device of a mesh")
struct RenewalTests {
  private let a = SyncPath(trusted: Array("a".utf8))
  private let b = SyncPath(trusted: Array("b".utf8))
  private let contents = (0..<4).map { Digest(of: [UInt8($0)]) }

  private func state(_ writer: UInt64) -> MeshState { MeshState(writer: Writer(id: writer)) }

  @discardableResult
  private func write(_ content: Int, at path: SyncPath, _ state: inout MeshState, milliseconds: UInt64 = 0) -> Dot {
    state.write(
      contents[content], size: 1, at: path, replacing: Set(state[path].map(\.dot)), milliseconds: milliseconds)
  }

  private func meet(_ one: inout MeshState, _ other: inout MeshState) {
    one.join(other) { _ in true }
    other.join(one) { _ in true }
  }

  private func digests(_ state: MeshState, _ path: SyncPath) -> Set<Digest> { Set(state[path].map(\.digest)) }

  @Test("what was written after the backup comes back from others")
  func restored() {
    var (device, other) = (state(1), state(2))
    write(0, at: a, &device)
    let backup = device
    write(1, at: a, &device)
    meet(&device, &other)
    device = backup
    #expect(device.wasOvertaken(by: other) && !other.wasOvertaken(by: device))
    device.renew(as: Writer(id: 3))
    #expect(!device.wasOvertaken(by: other))
    write(2, at: b, &device)
    meet(&device, &other)
    #expect(device.agrees(with: other))
    #expect(digests(device, a) == [contents[1]] && digests(device, b) == [contents[2]])
  }

  @Test("a number that was used for two contents loses neither")
  func doubled() {
    var (device, other) = (state(1), state(2))
    write(0, at: a, &device)
    let backup = device
    let first = write(1, at: a, &device)
    write(1, at: b, &device)
    meet(&device, &other)
    device = backup
    #expect(write(2, at: a, &device) == first)
    #expect(device.wasOvertaken(by: other))
    #expect(device.renew(as: Writer(id: 3), after: other, milliseconds: 0) == [a])
    meet(&device, &other)
    #expect(device.agrees(with: other))
    #expect(digests(device, a) == [contents[1], contents[2]] && digests(device, b) == [contents[1]])
  }

  @Test("two devices with one writer both get a new one, and lose nothing")
  func cloned() {
    var device = state(1)
    write(0, at: a, &device)
    var clone = device
    write(1, at: a, &device)
    write(2, at: a, &clone)
    #expect(device.wasOvertaken(by: clone) && clone.wasOvertaken(by: device))
    let (former, formerClone) = (device, clone)
    device.renew(as: Writer(id: 3), after: formerClone, milliseconds: 0)
    clone.renew(as: Writer(id: 4), after: former, milliseconds: 0)
    meet(&device, &clone)
    #expect(device.agrees(with: clone) && digests(device, a) == [contents[1], contents[2]])
  }

  @Test("a renewed device still knows its former versions at paths that wait for contents")
  func waiting() {
    var (device, other) = (state(1), state(2))
    write(0, at: b, &other)
    device.join(other) { _ in false }
    let dot = write(1, at: a, &device)
    #expect(device.context(at: b).covers(dot) && device.waiting == [b])
    device.renew(as: Writer(id: 3))
    #expect(device.context(at: b).covers(dot))
    meet(&device, &other)
    #expect(device.agrees(with: other) && digests(device, b) == [contents[0]])
  }
}
