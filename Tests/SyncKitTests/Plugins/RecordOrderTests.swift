import Testing

@testable import SyncKit

@Suite("The order of records")
struct RecordOrderTests {
  private let path = SyncPath("a.org")!

  private func record(_ paths: [SyncPath], of remote: String, after start: Int? = nil, forgets: Bool = false) -> Record
  {
    var record = Record(remote: remote)
    if forgets {
      record.forgotten = paths
    } else {
      record.agreements = paths.map {
        Agreement(path: $0, digest: Digest(of: []), local: Revision("1"), remote: Revision("1"))
      }
    }
    record.follows = start
    return record
  }

  @Test("what was recorded since a pass began is not before it", arguments: [false, true])
  func meanwhile(forgets: Bool) {
    var order = RecordOrder()
    order.add(record([path], of: "home", forgets: forgets))
    let pass = record([path], of: "away", after: order.count)
    #expect(order.isBefore(pass, "home", path))
    order.add(record([path], of: "home", forgets: forgets))
    #expect(!order.isBefore(pass, "home", path))
    #expect(order.isBefore(pass, "other", path) && order.isBefore(pass, "home", SyncPath("b.org")!))
    #expect(order.isBefore(record([path], of: "away"), "home", path))
  }

  @Test("of more paths than are kept, nothing is before a pass that runs then")
  func limit() {
    var order = RecordOrder()
    let pass = record([path], of: "away", after: order.count)
    order.add(record([path], of: "home"))
    order.add(record((0..<10_000).map { SyncPath("\($0).org")! }, of: "other"))
    #expect(!order.isBefore(pass, "home", path))
    #expect(order.isBefore(record([path], of: "away", after: order.count), "home", path))
  }
}
