import FileTree
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudICloud

@Suite("Placeholders in iCloud Drive")
struct ICloudPlaceholderTests {
  typealias Form = TestICloud.Form

  let icloud: TestICloud
  let archive = MemoryArchive()

  init() throws { icloud = try TestICloud() }

  /// A device with a store in memory; each one is a program that was just started.
  private func device(_ fetching: ICloudDrive.Fetching = .fetch, like former: TestDevice? = nil) async throws
    -> TestDevice
  {
    TestDevice(
      "laptop", store: former?.store, archive: archive, storage: try await icloud.storage(archive, fetching))
  }

  private func synced(_ names: [String]) async throws -> TestDevice {
    let device = try await device()
    for name in names { try await device.write("* \(name)\n", to: name) }
    #expect(await device.sync().result == .synced)
    // The facts of fresh files prove nothing yet.
    try await Task.sleep(for: .milliseconds(60))
    #expect(await device.sync().result == .synced)
    return device
  }

  private func expectNoLeak(_ device: TestDevice) async throws {
    #expect(try await icloud.leaks(archive) == [])
    for (name, text) in try await device.texts() {
      #expect(!text.contains("POISON") && !name.hasSuffix(".icloud"), "\(name)")
    }
  }

  @Test(
    "evicting every file deletes nothing, and a dataless file that was synced is not fetched", arguments: Form.allCases)
  func evictAll(form: Form) async throws {
    let names = (1...20).map { "d\($0 % 3)/\($0).org" }
    let device = try await synced(names)
    let texts = try await device.texts()
    for name in names { try icloud.evict(name, as: form) }
    for _ in 1...2 {
      let report = try await self.device(like: device).sync()
      #expect(report.hold == nil && report.failure == nil && report.counts.failed == 0, "\(report)")
      #expect(report.actions.allSatisfy { $0.result == .waiting && $0.kind == .copy }, "\(report.actions)")
      #expect(try await device.texts() == texts)
      #expect(icloud.names.count { !$0.hasPrefix("d") || $0.contains("/") } == 20)
    }
    switch form {
    case .dataless: #expect(icloud.requests == [])
    case .stub: #expect(Set(icloud.requests) == Set(names.map(TestICloud.stub)))
    }
    try await expectNoLeak(device)
    try icloud.fetchRequested(as: form)
    for name in names { try icloud.fetch(name, as: form) }
    let report = await device.sync()
    #expect(report.result == .synced && report.actions.isEmpty, "\(report)")
    #expect(try await device.texts() == texts && names.allSatisfy { icloud.text($0) == texts[$0] })
  }

  @Test(
    "files that are evicted before the first pass are asked for, waited for and then copied", arguments: Form.allCases)
  func firstPass(form: Form) async throws {
    for name in ["a.org", "d/b.org"] {
      try icloud.write("* \(name)\n", to: name)
      try icloud.evict(name, as: form)
    }
    let device = try await device()
    try await device.write("* c\n", to: "c.org")
    let report = await device.sync()
    #expect(report.counts.waiting == 2, "\(report.actions)")
    #expect(report.actions.contains { $0.detail.hasSuffix("not on this machine; its content was asked for") })
    #expect(try await device.texts() == ["c.org": "* c\n"] && icloud.text("c.org") == "* c\n")
    #expect(icloud.requests.count == 2)
    // It is not asked for again soon.
    _ = await device.sync()
    #expect(icloud.requests.count == 2)
    try await expectNoLeak(device)
    try icloud.fetchRequested(as: form)
    #expect(await device.sync().result == .synced)
    #expect(try await device.texts() == ["a.org": "* a.org\n", "d/b.org": "* d/b.org\n", "c.org": "* c\n"])
  }

  @Test("a file that was edited in the store waits until its other version is fetched", arguments: Form.allCases)
  func editedHere(form: Form) async throws {
    let device = try await synced(["a.org", "b.org"])
    try icloud.evict("a.org", as: form)
    try await device.write("* a.org\nedited\n", to: "a.org")
    let report = try await self.device(like: device).sync()
    #expect(report.counts.waiting >= 1 && report.counts.failed == 0, "\(report.actions)")
    #expect(icloud.requests == [form == .stub ? TestICloud.stub(of: "a.org") : "a.org"])
    #expect((icloud.text("a.org") == nil) == (form == .stub))
    try await expectNoLeak(device)
    try icloud.fetchRequested(as: form)
    #expect(icloud.text("a.org") == "* a.org\n")
    #expect(await device.sync().result == .synced)
    #expect(icloud.text("a.org") == "* a.org\nedited\n")
    #expect(await archive.library.holds(Digest(of: Array("* a.org\n".utf8))))
  }

  @Test("a file that was removed from the store is removed after its version was fetched", arguments: Form.allCases)
  func removedHere(form: Form) async throws {
    let device = try await synced(["a.org", "b.org", "c.org", "d.org", "e.org"])
    try icloud.evict("a.org", as: form)
    try await device.remove("a.org")
    _ = try await self.device(like: device).sync()
    #expect(icloud.names.contains(form == .stub ? ".a.org.icloud" : "a.org"))
    try await expectNoLeak(device)
    try icloud.fetchRequested(as: form)
    #expect(await device.sync().result == .synced)
    #expect(!icloud.names.contains("a.org") && icloud.names.count == 4)
    #expect(await archive.library.holds(Digest(of: Array("* a.org\n".utf8))))
  }

  @Test("a file that was edited on another Mac is fetched, then synced", arguments: Form.allCases)
  func editedElsewhere(form: Form) async throws {
    let device = try await synced(["a.org"])
    try icloud.evict("a.org", as: form, with: "* a.org\nedited on a phone\n")
    _ = try await self.device(like: device).sync()
    #expect(try await device.texts() == ["a.org": "* a.org\n"] && icloud.requests.count == 1)
    try await expectNoLeak(device)
    try icloud.fetchRequested(as: form)
    #expect(await device.sync().result == .synced)
    #expect(try await device.texts() == ["a.org": "* a.org\nedited on a phone\n"])
  }

  @Test("files that both sides have only in iCloud stay unchanged", arguments: Form.allCases)
  func evictedOnBoth(form: Form) async throws {
    let store = try TestICloud()
    let parts = store.parts(archive, "store")
    let local = FileTree(path: store.path, parts: parts, createsRoot: false, keptBy: store.service.program(.fetch))
    func sync() async throws -> PassReport {
      let parts = icloud.parts(archive)
      let remote = StorageReplica(try await icloud.storage(archive), parts)
      let pass = PassParts(
        name: "test", local: local, remote: remote, archive: archive, merger: LineMerger(), device: parts.device)
      return await SyncRun([pass]).run()[0]
    }
    for name in ["a.org", "b.org", "c.org"] { try store.write("* \(name)\n", to: name) }
    for _ in 1...2 {
      #expect(try await sync().result == .synced)
      try await Task.sleep(for: .milliseconds(60))
    }
    for name in ["a.org", "b.org"] { for side in [store, icloud] { try side.evict(name, as: form) } }
    let report = try await sync()
    #expect(report.hold == nil && report.counts.failed == 0 && report.effects.isEmpty, "\(report)")
    #expect(store.names == icloud.names && store.names.count == 3)
    for side in [store, icloud] { #expect(try await side.leaks(archive) == []) }
    for side in [store, icloud] { for name in ["a.org", "b.org"] { try side.fetch(name, as: form) } }
    try store.write("* b.org\nedited\n", to: "b.org")
    #expect(try await sync().result == .synced)
    #expect(icloud.text("b.org") == "* b.org\nedited\n" && icloud.text("a.org") == "* a.org\n")
  }

  @Test(
    "a marker that is only in iCloud is asked for, and nothing happens before it is there", arguments: Form.allCases)
  func marker(form: Form) async throws {
    let device = try await synced(["a.org"])
    try icloud.evict(ReservedName.marker, as: form)
    try await device.write("edited\n", to: "a.org")
    let report = try await self.device(like: device).sync()
    #expect(report.failure?.code == .unavailable && icloud.text("a.org") == "* a.org\n", "\(report)")
    #expect(icloud.requests.count == 1)
    try icloud.fetchRequested(as: form)
    #expect(await device.sync().result == .synced)
    #expect(icloud.text("a.org") == "edited\n")
  }

  @Test(
    "a file evicted after the listing is neither read, nor replaced, nor removed, nor taken for deleted",
    arguments: Form.allCases)
  func evictedMeanwhile(form: Form) async throws {
    let path = try #require(SyncPath("a.org"))
    try icloud.write("1", to: "a.org")
    let storage = try await icloud.storage(archive)
    try await storage.recover()
    let entry = try #require(try await storage.list(since: Known())[path])
    try icloud.evict("a.org", as: form)
    let sink = MemorySink(limit: 100)
    guard case .postponed? = try await storage.read([path], into: sink).first, sink.bytes.isEmpty else {
      Issue.record("a placeholder was read")
      return
    }
    guard case .unknown? = try await storage.confirm([path]).first else {
      Issue.record("a placeholder counts as known")
      return
    }
    for content in [Content(Array("2".utf8)), nil] {
      for condition in [Condition.unchanged(entry.revision)] + (content == nil ? [] : [.absent]) {
        let change = Change(
          path: path, content: content, condition: condition,
          replaced: condition == .absent ? nil : Content(Array("1".utf8)))
        guard case .postponed? = try await storage.commit([change]).first else {
          Issue.record("a placeholder was changed under \(condition)")
          return
        }
      }
    }
    #expect(icloud.names == [form == .stub ? ".a.org.icloud" : "a.org"] && icloud.requests.count == 1)
    #expect(try await icloud.leaks(archive) == [])
  }

  @Test("a user's own file with the name of a stub is neither deleted nor uploaded")
  func realFiles() async throws {
    let device = try await synced(["a.org", "b.org", "c.org"])
    let large = String(repeating: "x", count: 5_000_000)
    try icloud.write(large, to: ".a.org.icloud")
    try icloud.write(String(repeating: "y", count: 300), to: "b.org.nextcloud")
    try icloud.write("mine\n", to: "notes.icloud")
    try icloud.remove("c.org")
    try icloud.write(large, to: ".c.org.icloud")
    let report = await device.sync()
    #expect(report.hold == nil && report.counts.failed == 0)
    #expect(
      try await device.texts() == [
        "a.org": "* a.org\n", "b.org": "* b.org\n", "c.org": "* c.org\n", "notes.icloud": "mine\n",
      ])
    #expect(icloud.text(".a.org.icloud") == large && icloud.text(".c.org.icloud") == large && icloud.requests == [])
    try await device.write("edited\n", to: "a.org")
    #expect(await device.sync().counts.failed == 0)
    #expect(icloud.text("a.org") == "edited\n")
  }

  @Test("a stub in a folder that is removed from the store keeps the folder")
  func folderWithStub() async throws {
    let device = try await synced(["d/a.org", "d/b.org", "e.org", "f.org", "g.org", "h.org", "i.org"])
    try icloud.evict("d/a.org", as: .stub)
    try await device.remove("d/a.org")
    try await device.remove("d/b.org")
    _ = await device.sync()
    #expect(icloud.names.contains("d/.a.org.icloud") && !icloud.names.contains("d/b.org"))
  }

  @Test("a folder whose names are only in iCloud is unknown with everything below it")
  func datalessFolder() async throws {
    let device = try await synced(["d/a.org", "d/e/b.org", "c.org"])
    try icloud.evictFolder("d")
    try await device.write("edited\n", to: "d/a.org")
    let report = try await self.device(like: device).sync()
    #expect(report.hold == nil && report.counts.failed == 0, "\(report)")
    #expect(try await device.texts().count == 3 && icloud.text("d/a.org") == "* d/a.org\n")
    #expect(icloud.requests == ["d"])
    icloud.fetchFolders()
    #expect(await device.sync().result == .synced)
    #expect(icloud.text("d/a.org") == "edited\n")
  }

  @Test("`leave` asks for nothing, and `fetch-all` for everything")
  func settings() async throws {
    var device = try await synced(["a.org", "b.org"])
    try icloud.evict("a.org", as: .dataless)
    try icloud.evict("b.org", as: .stub)
    device = try await self.device(.leave, like: device)
    let report = await device.sync()
    #expect(icloud.requests == [] && report.result == .synced && report.notices.count == 1, "\(report)")
    _ = try await self.device(.fetchAll, like: device).sync()
    #expect(Set(icloud.requests) == ["a.org", ".b.org.icloud"])
  }

  @Test("a dry run and a diagnosis ask for nothing")
  func readOnly() async throws {
    try icloud.write("1", to: "a.org")
    try icloud.evict("a.org", as: .dataless)
    let storage = try await icloud.storage(archive)
    #expect(try await storage.list(since: Known()).count == 0)
    let findings = try await storage.diagnose().map(\.text)
    #expect(
      findings.contains("the contents of 1 file are in iCloud Drive and not on this machine, such as of a.org"),
      "\(findings)")
    #expect(findings.contains { $0.contains("never on a Mac") })
    #expect(icloud.requests == [])
  }
}
