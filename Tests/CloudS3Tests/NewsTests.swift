import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

@Suite("The news of a large bucket")
struct NewsTests {
  private func line(_ id: String, _ names: [String]?) throws -> News.Line {
    News.Line(id: id, paths: try names?.map { try path($0) })
  }

  @Test("a line survives its text, with any name")
  func text() throws {
    for line in [try line("a1", ["a b.org", "c+d%\u{E9}\n.org"]), try line("b2", nil), try line("c3", [])] {
      #expect(News.Line(Substring(line.text)) == line, "\(line.text)")
    }
    #expect(News.Line("a1 ../x") == nil && News.Line("") == nil && News.Line("<html>") == nil)
    #expect(News.lines(Array("a1 x\n<html>\n".utf8)).isEmpty)
  }

  @Test("the paths after the last known line are the changed ones, or unknown")
  func paths() throws {
    let lines = [try line("a", ["1"]), try line("b", ["2", "3"]), try line("c", ["3"])]
    #expect(News.paths(after: "a", in: lines, limit: 9) == Set([try path("2"), try path("3")]))
    #expect(News.paths(after: "c", in: lines, limit: 9) == [])
    #expect(News.paths(after: "x", in: lines, limit: 9) == nil)
    #expect(News.paths(after: "a", in: lines, limit: 1) == nil)
    #expect(News.paths(after: "a", in: lines + [try line("d", nil)], limit: 9) == nil)
  }

  @Test("a device that keeps its listing finds what others changed, by one request if nothing has changed")
  func large() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let (prefix, traits) = (UUID().uuidString, try await server.probed())
    let proxy = try await FaultyProxy(to: server.endpoint)
    let one = try await server.device("one", prefix: prefix, traits: traits)
    let two = try await server.device("two", prefix: prefix, at: "http://127.0.0.1:\(proxy.port)", traits: traits)
    for number in 0..<1_050 { try await one.write("* \(number)\n", to: "d\(number % 9)/\(number).org") }
    for device in [one, two, two, two] { try await device.expectHealthyRun("first") }
    try proxy.follow([["match": "^[A-Z]+ /", "nth": 1_000_000]])
    try await two.expectHealthyRun("nothing has changed")
    #expect(try proxy.counts().matched == [1])
    try await one.write("* edited\n", to: "d1/1.org")
    try await one.remove("d2/2.org")
    try await one.write("* new\n", to: "new.org")
    try await one.expectHealthyRun("edits")
    try await two.expectHealthyRun("edits")
    #expect(try await two.texts() == one.texts())
    #expect(try await two.texts()["d1/1.org"] == "* edited\n")
  }

  @Test("devices that announce at once do not hide each other's lines")
  func appending() async throws {
    guard let server = await S3Server.shared(isSoak ? .ceph : .moto) else { return }
    let storage = try await server.storage(prefix: UUID().uuidString)
    let traits = try #require(ProbeRecord(try await server.probed())).traits
    let news = News(service: storage.service, traits: traits)
    let ids = (0..<(isSoak ? 40 : 6)).map { "line\($0)" }
    let added = try await mapConcurrently(ids, atMost: 4) { id throws(SyncError) in
      try await news.append(News.Line(id: id, paths: []), creates: true) ? id : nil
    }
    guard case .found(let content) = try await news.read() else {
      Issue.record("there are no news")
      return
    }
    #expect(Set(content.lines.map(\.id)).isSuperset(of: added.compactMap(\.self)))
    #expect(added.contains { $0 != nil })
  }
}
