import Foundation
import MeshState
import MeshStore
import SyncKit
import SyncKitTesting
import Testing

@Suite("The replica of a mesh in a folder")
struct MeshReplicaTests {
  @Test("two handles of one folder pass the checks for replicas", arguments: ReplicaCheck.all)
  func conformance(check: ReplicaCheck) async throws {
    try await check.run(on: {
      let place = MeshPlace()
      return (Held(replica: place.handle(), place: place), Held(replica: place.handle(), place: place))
    })
  }

  @Test("two devices that meet pass the checks for concurrent versions", arguments: ConcurrencyCheck.all)
  func concurrency(check: ConcurrencyCheck) async throws {
    let (one, other) = (MeshPlace(), MeshPlace())
    try await check.run {
      let (a, b) = (one.handle(), other.handle(device: "desk"))
      return ConcurrencyCheck.Devices(one: a, other: b) {
        try await a.join(b.offer())
        try await b.join(a.offer())
      }
    }
  }

  /// Keeps a folder as long as a handle on it.
  private struct Held: ReplicaAround {
    let replica: any Replica
    let place: MeshPlace
  }

  @Test("what was committed is there for the next process")
  func durable() async throws {
    let place = MeshPlace()
    _ = try await place.handle().claim()
    try await place.handle().put("one\n", at: "a.org")
    try await place.handle().put(String(repeating: "x", count: 3 << 20), at: "large.txt")
    try await place.handle().put("two\n", at: "folder/b.org")
    try await place.handle().remove("a.org")
    let next = place.handle()
    try await next.recover()
    let texts = try await next.texts()
    #expect(texts.keys.sorted() == ["folder/b.org", "large.txt"] && texts["folder/b.org"] == "two\n")
  }

  @Test("the folder shows no name and no content")
  func sealed() async throws {
    let place = MeshPlace()
    let replica = place.handle()
    _ = try await replica.claim()
    try await replica.put("a canary sings\n", at: "canary-name.org")
    try await replica.put("a canary sings again\n", at: "canary-name.org")
    for (name, data) in try place.files() {
      #expect(data.range(of: Data("canary".utf8)) == nil && !name.contains("canary"))
    }
  }

  @Test("another secret reads nothing")
  func otherSecret() async throws {
    let place = MeshPlace()
    _ = try await place.handle().claim()
    try await place.handle().put("one\n", at: "a.org")
    let stranger = place.handle(MeshSecret { Array(repeating: 7, count: $0) })
    await #expect(throws: SyncError.self) { _ = try await stranger.list(since: Known()) }
    #expect(try await place.handle().texts() == ["a.org": "one\n"])
  }

  @Test("a damaged segment holds its files, and the others can be read")
  func damaged() async throws {
    let place = MeshPlace()
    let replica = place.handle()
    _ = try await replica.claim()
    try await replica.put("one\n", at: "a.org")
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: place.segmentFolder))
    try await replica.put("two\n", at: "b.org")
    let new = Set(try FileManager.default.contentsOfDirectory(atPath: place.segmentFolder)).subtracting(before)
    let file = place.segmentFolder + "/" + (try #require(new.first))
    var bytes = try #require(FileManager.default.contents(atPath: file))
    bytes[bytes.count - 3] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    let results = try await place.handle().read(
      ["a.org", "b.org"].map { SyncPath(trusted: Array($0.utf8)) }, into: MemorySink(limit: 99))
    guard case .read = results[0], case .failed(let error) = results[1] else {
      Issue.record("\(results)")
      return
    }
    #expect(error.code == .suspect)
  }

  @Test("a folder that was copied or restored gets another writer, and loses nothing")
  func restored() async throws {
    let (one, other, backup) = (MeshPlace(), MeshPlace(), MeshPlace())
    let desk = other.handle(device: "desk")
    for replica in [one.handle(), desk] { _ = try await replica.claim() }
    try await one.handle().put("old\n", at: "a.org")
    let writer = try await one.handle().offer().head.writer
    try backup.copy(of: one)
    try await one.handle().put("new\n", at: "a.org")
    try await desk.join(one.handle().offer())
    try one.copy(of: backup)
    let restored = one.handle()
    try await restored.recover()
    #expect(try await restored.offer().head.writer != writer)
    #expect(try await one.handle().offer().head.writer == restored.offer().head.writer)
    try await restored.put("b\n", at: "b.org")
    try await restored.join(desk.offer())
    try await desk.join(restored.offer())
    for replica in [restored, desk] { #expect(try await replica.texts() == ["a.org": "new\n", "b.org": "b\n"]) }
  }

  @Test("a state that was lost is another replica")
  func lost() async throws {
    let place = MeshPlace()
    let first = try await place.handle().claim()
    try FileManager.default.removeItem(atPath: place.path + "/state")
    let (listed, second) = (try await place.handle().list(since: Known()).root, try await place.handle().claim())
    #expect(listed.id == nil && listed.address != first.address)
    #expect(second.address != first.address && second.id == first.id)
  }

  /// The names of the segments that were fetched.
  private actor Fetched {
    var names: [SegmentName] = []
    func add(_ name: SegmentName) { names.append(name) }
  }

  @Test("the tables of another device are fetched once, all at the same time")
  func tables() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let (laptop, desk) = (place.handle(), other.handle(device: "desk"))
    for replica in [laptop, desk] { _ = try await replica.claim() }
    for number in 0..<5 {
      try await laptop.put("\(number)\n", at: "a.org")
      try await desk.put("\(number)\n", at: "b.org")
    }
    for round in 0..<3 {
      try await laptop.put("\(round)\n", at: "c.org")
      let (offer, fetched) = (try await laptop.offer(), Fetched())
      let counted = MeshOffer(head: offer.head) { name throws(SyncError) in
        await fetched.add(name)
        return try await offer.segment(name)
      }
      try await desk.join(counted)
      // As at the beginning of each pass.
      try await desk.recover()
      let names = await fetched.names
      #expect(Set(names).count == names.count && names.count == (round == 0 ? offer.head.tables.count : 1))
      #expect(try await desk.texts()["c.org"] == "\(round)\n")
    }
  }

  @Test("a device that knows all but the last change needs the table of that alone, also from one that it never read")
  func lastTable() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let (laptop, desk) = (place.handle(), other.handle(device: "desk"))
    for replica in [laptop, desk] { _ = try await replica.claim() }
    for number in 0..<5 { try await laptop.put("\(number)\n", at: "\(number).org") }
    try await desk.join(laptop.offer())
    // More changes than a head has tables.
    for number in 0..<50 {
      let (author, reader) = number % 2 == 0 ? (desk, laptop) : (laptop, desk)
      try await author.put("edit \(number)\n", at: "\(number % 7).org")
      let (last, fetched) = (try await author.lastTable(), Fetched())
      let offer = MeshOffer(head: last.head, arrived: last.arrived) { name throws(SyncError) in
        await fetched.add(name)
        return nil
      }
      #expect(try await reader.join(offer).isComplete)
      #expect(await fetched.names.isEmpty)
      #expect(try await reader.texts() == author.texts())
    }
  }

  @Test("a device that lacks an earlier change does not take the last one for all")
  func earlierChange() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let (laptop, desk) = (place.handle(), other.handle(device: "desk"))
    for replica in [laptop, desk] { _ = try await replica.claim() }
    try await laptop.put("a\n", at: "a.org")
    try await desk.join(laptop.offer())
    try await laptop.put("b\n", at: "b.org")
    try await laptop.put("c\n", at: "c.org")
    let last = try await laptop.lastTable()
    let alone = MeshOffer(head: last.head, arrived: last.arrived) { _ in nil }
    #expect(try await desk.join(alone).isComplete == false)
    #expect(try await desk.texts() == ["a.org": "a\n"])
    #expect(try await desk.join(last).isComplete)
    #expect(try await desk.texts() == ["a.org": "a\n", "b.org": "b\n", "c.org": "c\n"])
  }

  @Test("a device with a change of its own reads all tables of another one")
  func ownChange() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let (laptop, desk) = (place.handle(), other.handle(device: "desk"))
    for replica in [laptop, desk] { _ = try await replica.claim() }
    for number in 0..<3 { try await laptop.put("\(number)\n", at: "\(number).org") }
    try await desk.join(laptop.offer())
    try await desk.put("desk\n", at: "desk.org")
    try await laptop.put("laptop\n", at: "0.org")
    let offer = try await laptop.lastTable()
    #expect(try await desk.join(offer).isComplete)
    #expect(try await desk.texts() == ["0.org": "laptop\n", "1.org": "1\n", "2.org": "2\n", "desk.org": "desk\n"])
  }

  @Test("a join says whether something did not arrive")
  func incomplete() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let (laptop, desk) = (place.handle(), other.handle(device: "desk"))
    for replica in [laptop, desk] { _ = try await replica.claim() }
    try await laptop.put("a\n", at: "a.org")
    try await laptop.put(String(repeating: "large\n", count: 300_000), at: "b.org")
    let offer = try await laptop.offer()
    let tables = Set(offer.head.tables.map(\.segment))
    for part in [[], tables] as [Set<SegmentName>] {
      let broken = MeshOffer(head: offer.head) { name throws(SyncError) in
        part.contains(name) ? try await offer.segment(name) : nil
      }
      #expect(try await desk.join(broken).isComplete == false)
    }
    #expect(try await desk.texts() == ["a.org": "a\n"])
    #expect(try await desk.join(offer).isComplete)
    #expect(try await desk.texts().keys.sorted() == ["a.org", "b.org"])
  }

  @Test("many changes leave few segments")
  func compaction() async throws {
    let (place, other) = (MeshPlace(), MeshPlace())
    let replica = place.handle()
    _ = try await replica.claim()
    for number in 0..<100 { try await replica.put("\(number)\n", at: "\(number % 5).org") }
    try await replica.recover()
    let segments = try FileManager.default.contentsOfDirectory(atPath: place.segmentFolder)
    #expect(segments.count < 45)
    let desk = other.handle(device: "desk")
    _ = try await desk.claim()
    try await desk.join(replica.offer())
    #expect(try await desk.texts() == replica.texts())
    #expect(try await desk.offer().head.state == replica.offer().head.state)
  }
}
