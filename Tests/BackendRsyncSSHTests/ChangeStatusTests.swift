import SyncKit
import Testing

@testable import BackendRsyncSSH

@Suite("The status of a change") struct ChangeStatusTests {
  private static let base = Array("base".utf8), new = Array("new".utf8), other = Array("other".utf8)
  private static let third = Array("third".utf8)

  @Test(
    "the status of a replacement follows from the live and the previous version",
    arguments: [
      (new, nil, .done), (new, base, .done), (new, new, .done), (new, other, .displaced),
      (base, nil, .notApplied), (base, base, .notApplied), (base, other, .orphaned),
      (other, nil, .overtaken), (other, base, .overtaken), (other, other, .overtaken), (other, third, .orphaned),
      (nil, nil, .overtaken), (nil, base, .overtaken), (nil, other, .orphaned),
    ] as [([UInt8]?, [UInt8]?, ChangeStatus)])
  func replacement(live: [UInt8]?, kept: [UInt8]?, status: ChangeStatus) {
    #expect(ChangeStatus(live: live, kept: kept, base: Self.base, new: Self.new) == status)
  }

  @Test(
    "the status of a creation follows from the live and the previous version",
    arguments: [
      (new, nil, .done), (new, other, .displaced), (nil, nil, .notApplied), (other, nil, .overtaken),
      (nil, other, .orphaned), (other, third, .orphaned),
    ] as [([UInt8]?, [UInt8]?, ChangeStatus)])
  func creation(live: [UInt8]?, kept: [UInt8]?, status: ChangeStatus) {
    #expect(ChangeStatus(live: live, kept: kept, base: nil, new: Self.new) == status)
  }

  @Test(
    "the status of a removal by a move follows from the live and the previous version",
    arguments: [
      (nil, base, .done), (nil, other, .displaced), (base, nil, .notApplied), (other, base, .overtaken),
      (other, nil, .overtaken), (other, third, .orphaned), (base, other, .orphaned),
    ] as [([UInt8]?, [UInt8]?, ChangeStatus)])
  func removal(live: [UInt8]?, kept: [UInt8]?, status: ChangeStatus) {
    #expect(ChangeStatus(live: live, kept: kept, base: Self.base, new: nil) == status)
  }

  @Test(
    "the status of a file that gets another name follows from both names",
    arguments: [
      (new, new, .linked), (nil, new, .moved), (other, new, .changed), (other, other, .changed),
      (new, other, .taken), (other, third, .taken), (nil, other, .taken), (new, nil, .absent), (nil, nil, .absent),
      (other, nil, .absent),
    ] as [([UInt8]?, [UInt8]?, LinkStatus)])
  func link(old: [UInt8]?, new: [UInt8]?, status: LinkStatus) {
    #expect(LinkStatus(old: old, new: new, expected: Self.new) == status)
  }

  @Test("a rename intent is decoded from its record, and a damaged record gives none")
  func renameIntent() throws {
    let item = RenameIntent.Item(
      old: try #require(SyncPath("a/b.org")), new: try #require(SyncPath("c.org")), hash: Array(repeating: 7, count: 16)
    )
    var intent = RenameIntent(items: [item, item])
    #expect(RenameIntent(record: intent.record) == intent)
    intent.phase = .removing
    #expect(RenameIntent(record: intent.record) == intent)
    for length in 1..<intent.record.count {
      #expect(RenameIntent(record: Array(intent.record.prefix(length)))?.items.count ?? 0 < 2)
    }
    #expect(RenameIntent(record: []) == nil && RenameIntent(record: [9]) == nil)
  }

  @Test("the name of a previous version leads to the original name, and other names lead nowhere")
  func names() throws {
    let device = Device(id: "one", name: "one")
    let path = try #require(SyncPath("a/b.org"))
    for isExclusive in [true, false] {
      let suffix = PreviousVersionName.suffix(for: device, .real, isExclusive: isExclusive)
      let kept = try #require(path.sibling(Array(path.name) + Array(suffix.utf8)))
      #expect(ReservedName.isTemporary(kept.name) && suffix.utf8.count <= PreviousVersionName.addedLength)
      #expect(PreviousVersionName.original(of: kept) == (isExclusive ? path : nil))
      let staging = PreviousVersionName.staging(for: suffix)
      #expect(staging.map { ReservedName.isTemporary($0.name) } == (isExclusive ? true : nil))
      #expect(staging.flatMap { PreviousVersionName.original(of: $0) } == nil)
    }
    for name in ["a.org", "a.old.tmp", ".syncd-1-2.old.tmp"] {
      #expect(PreviousVersionName.original(of: try #require(SyncPath(name))) == nil)
    }
  }

  @Test("an intent is decoded from its record, and a damaged record gives none or another one")
  func records() throws {
    func version(_ text: String) -> Intent.Version {
      Intent.Version(digest: Digest(of: Array(text.utf8)), hash: Array(repeating: 7, count: 16))
    }
    let path = try #require(SyncPath("a/\u{E9}.org"))
    let folder = try #require(SyncPath("a"))
    let intent = Intent(
      suffix: ".syncd-1-2.tmp",
      items: [
        .init(path: path, base: nil, new: version("x")),
        .init(path: folder, base: version("y").hash, new: version("z")),
        .init(path: folder, base: version("y").hash, new: nil),
      ],
      folders: [folder])
    #expect(Intent(record: intent.record) == intent)
    for count in 0..<intent.record.count { #expect(Intent(record: Array(intent.record[..<count])) != intent) }
    #expect(intent.kept(path) == SyncPath("a/\u{E9}.org.syncd-1-2.tmp"))
  }
}
