import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Synchronization
import Testing

@testable import ItemIndex

/// Files in memory with an index on disk.
final class IndexedFolder: @unchecked Sendable {
  static let now = OrgMoment(year: 2026, month: 3, day: 10, hour: 14, minute: 30)

  private let scratch = ScratchFolder()
  var path: String { "\(scratch.path)/items.sqlite" }
  var settings = OrgSettings()
  /// True if changed files keep their stamps.
  var keepsStamps = false
  /// How long ago the files changed, in nanoseconds.
  var age: Int64 = 0
  private(set) var readCount = Count()
  private var stamps: [String: FileStamp] = [:]
  private var time: Int64 = 1_000_000_000_000

  final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock(\.self) }
    func increase() { number.withLock { $0 += 1 } }
  }

  var files: [String: String] = [:] {
    didSet {
      time += 5_000_000_000
      for (path, text) in files where oldValue[path] != text && !(keepsStamps && oldValue[path] != nil) {
        stamps[path] = FileStamp(
          size: Int64(text.utf8.count), modified: time - age, changed: time - age, inode: Int64(path.count))
      }
      stamps = stamps.filter { files[$0.key] != nil }
    }
  }

  /// Opens the index as a new process would, and makes it agree with the files.
  func index() throws -> ItemIndex {
    let index = try ItemIndex(at: path, IndexOptions(settings), boot: "1")
    let (files, stamps, count, time) = (files, stamps, readCount, time)
    let read = { @Sendable (path: String) -> (FileStamp, [UInt8])? in
      count.increase()
      return stamps[path].map { ($0, Array((files[path] ?? "").utf8)) }
    }
    try index.refresh(FileListing(stamps, at: time), now: { time }, read: read)
    return index
  }

  /// Compares everything that the index answers with what the files say.
  func compare(_ index: ItemIndex, _ what: String) throws {
    let folder = OrgFolder(OrgFileSet(files.mapValues { Array($0.utf8) }), settings)
    let scanned = folder.items.filter { !$0.isEmpty }
    try index.read { reader in
      #expect(try reader.all() == scanned, "\(what)")
      #expect(try reader.states() == folder.states && reader.groups().lines == folder.groups.lines, "\(what)")
      let counts = Dictionary(scanned.joined().flatMap { Set($0.tags) }.map { ($0, 1) }, uniquingKeysWith: +)
      #expect(try reader.tagCounts() == counts, "\(what)")
      for text in Self.queries {
        let query = try OrgQuery(text)
        let found = try reader.select(query, now: Self.now, text: folder.text)
        let wanted = try query.select(
          Array(folder.items.joined()), now: Self.now, groups: folder.groups, text: folder.text)
        #expect(found == wanted, "\(what): \(text)")
        for offset in [0, wanted.count / 2, wanted.count] {
          guard let page = try reader.page(of: query, now: Self.now, after: offset, count: 5) else { continue }
          #expect(page.total == wanted.count, "\(what): \(text)")
          #expect(page.items == Array(wanted.dropFirst(offset).prefix(5)), "\(what): \(text) after \(offset)")
        }
      }
      // Pages of these are read without the other entries.
      for text in ["milk", "it.todo", "t.wo", "(milk or t.work) .i.wait"] {
        #expect(try reader.page(of: OrgQuery(text), now: Self.now, after: 0, count: 5) != nil, "\(text)")
      }
      for (start, span, log) in Self.agendas {
        var settings = settings
        if log { settings["org-agenda-start-with-log-mode"] = true }
        let agenda = { (items: [[OrgItem]]) in
          OrgAgenda(items, now: Self.now, settings: settings, groups: folder.groups, states: folder.states)
            .days(from: start, span: span)
        }
        let need = try #require(OrgAgenda.candidateDays(from: start, span: span, settings: settings))
        let items = try reader.items(on: need.days, withLog: need.withLog)
        #expect(agenda(items) == agenda(scanned), "\(what): agenda \(start.iso)")
      }
    }
  }

  private static let queries = [
    "it.todo", "it.done", ".it.todo o.d", "i.todo or i.wait", "t.wo", "tn.home", ".t.home", "p.a", "ps.b", ".ps.a",
    "s.today", "s.none", "d.ge.2026-03-01", "d.ne.none", "c.le.today", "e.1w", "prop.EFFORT", "prop.EFFORT.1:00",
    "near.48.2,16.3,5km", "before.shopping", "milk", "\"old mil\"", ".milk it.todo", "(milk or t.work) .i.wait",
    "match:+work/TODO", "b.a", "file.b*", "path.alpha", "cr.today", "\"--\"", "text.café",
  ]

  private static let agendas: [(OrgDay, OrgAgendaSpan, Bool)] = [
    (now.day, .day, false), (now.day, .week, true), (now.day.advanced(by: 30), .days(20), false),
    (now.day.advanced(by: -40), .days(30), true),
  ]
}

/// Random numbers that are the same in each run.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
