import Foundation
import ProgramTesting
import RsyncWire
import SyncKit
import Testing

@Suite("Faulty and hostile rsync servers") struct HostileTests {
  /// The name of each kind of defect in the notes of the streams, and here.
  private static let names = [
    "serverTooOld": "tooOld", "unrequestedCompatFlag": "unrequestedFlags", "varintOverflow": "overlongInteger",
    "nsecRange": "nanoseconds", "badMode": "fileMode", "linkLength": "linkTarget", "messageTooLong": "messageLength",
    "unexpectedEOF": "brokenOff", "badToken": "token", "literalTooLong": "literalLength",
    "unsolicitedFile": "unsolicited", "sumHeadMismatch": "echo", "badIndex": "index", "badRequest": "request",
  ]

  @Test("each violation is detected, and harmless oddities are accepted")
  func all() throws {
    let base = try Trace.file("06-pull-delta.base.bin")
    let cases = try Trace.json("hostile/index.json") as? [[String: String]] ?? []
    #expect(cases.count == 60)
    for facts in cases {
      let (file, expected) = (facts["file"] ?? "", facts["expect"] ?? "")
      let bytes = try Trace.file("hostile/" + file)
      for size in [Int.max, 1, 7] {
        let end = try Self.converse(facts["exchange"] ?? "", ScriptedStream(bytes, cutting: size), base)
        #expect(end == Self.names[expected] ?? expected, "\(file)")
      }
    }
  }

  /// The first bytes of a server: version 31, no flags, a seed, and a list of its root and of one empty file.
  private static let opening: [UInt8] = {
    let root: [UInt8] = [0x04, 0, 1, 0x2E, 0, 0, 0, 0, 0, 0, 0, 0xED, 0x41, 0, 0]
    let file: [UInt8] = [0x04, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 0xA4, 0x81, 0, 0]
    return [31, 0, 0, 0, 0, 1, 2, 3, 4] + frame(0, root + file + [0])
  }()

  private static func frame(_ tag: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), 0, 7 + tag] + payload
  }

  @Test("an endless conversation is aborted")
  func endless() {
    let goodbye = Self.frame(0, Array(repeating: 0, count: 3 + 15 + 1))
    // The number of deletions is written as a difference: first from two, then from none.
    let counts: [UInt8] = [0, 0, 0, 0, 0]
    let deletion = [0xFF, 2] + counts
    let more = [0xFF, 0xFE, 0, 0] + counts
    let success = Self.frame(100, [1, 0, 0, 0])
    let cases: [(opening: [UInt8], repeated: [UInt8], wanted: [Int: [UInt8]], end: String)] = [
      (goodbye, Self.frame(0, Array(repeating: 0, count: 1_000)), [:], "endless"),
      (goodbye, Self.frame(0, []), [:], "messageLength"),
      (Self.frame(0, deletion), Self.frame(0, more), [:], "endless"),
      ([], Self.frame(0, []), [1: []], "messageLength"),
      ([], success, [1: []], "messageLength"),
      ([], success, [:], "messageLength"),
    ]
    for (index, facts) in cases.enumerated() {
      let stream = EndlessStream(Self.opening + facts.opening, then: facts.repeated)
      let end = name(of: { () throws(RsyncError) in _ = try fetch(stream, wanting: facts.wanted) })
      #expect(end == facts.end, "case \(index)")
    }
  }

  private static func converse(_ exchange: String, _ stream: ScriptedStream, _ base: [UInt8]) throws -> String {
    let new = try Trace.file("06-pull-delta.new.bin")
    var refused = false
    let end = name(of: { () throws(RsyncError) in
      switch exchange {
      case "pull": _ = try fetch(stream, wanting: [1: base])
      case "push":
        let delivery = try deliver(stream, [Sent("a.org", new, over: base), Sent(folder: "d", isNew: true)])
        refused = !delivery.refused.isEmpty
      default: _ = try fetch(stream, onlyLists: true)
      }
    })
    return refused && end == "accept" ? "refused" : end
  }
}

@Suite("Streams that attack a decoder") struct FuzzTests {
  /// Conversations to start with; short ones are more frequent than long ones.
  private static let names =
    Array(repeating: ["01-list", "02-list-md5", "04-list-ioerror"], count: 6).flatMap(\.self)
    + ["03-list-edge", "12-inband-messages-3.1.3", "06-pull-delta", "08-push", "09-push-redo-refused"]

  @Test("a decoder ends with an error or a list, within its limits", arguments: 0..<4)
  func mutations(part: Int) throws {
    let base = try Trace.file("06-pull-delta.base.bin")
    let seeds = try Self.names.map { ($0, try Trace(name: $0).fromServer()) }
    var generator = SplitMix64(state: UInt64(part) &+ 77)
    var strays: [[UInt8]] = []
    for _ in 0..<(isSoak ? 2_500_000 : 25_000) {
      let (name, seed) = generator.pick(seeds)
      let stream = ScriptedStream(generator.mutation(of: seed), cutting: generator.pick([.max, .max, .max, 64, 3]))
      let end = RsyncWireTests.name(of: { () throws(RsyncError) in
        if name.contains("push") {
          _ = try deliver(stream, [Sent("a.org", [1, 2], over: [3]), Sent(folder: "d", isNew: true)])
        } else {
          let wanted = name.contains("list") ? [:] : [1: [], 2: base]
          let fetched = try fetch(
            stream, name.contains("md5") ? .names([]) : .everything, wanting: wanted, onlyLists: wanted.isEmpty)
          if let file = fetched.list.files.first(where: { !isInside($0.name) }) { strays.append(file.name) }
        }
      })
      if stream.heard.count > 1 << 20 { strays.append(Array("a flood after \(end)".utf8)) }
    }
    #expect(strays.isEmpty)
  }

  /// An independent implementation of the rule in the specification.
  private func isInside(_ name: [UInt8]) -> Bool {
    let text = String(decoding: name, as: UTF8.self)
    return text == "."
      || !text.isEmpty && !name.contains(0)
        && !text.components(separatedBy: "/").contains { ["", ".", ".."].contains($0) }
  }
}

extension SplitMix64 {
  /// A number below `limit`.
  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  /// Returns one of `choices`, which must not be empty.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(below: choices.count)] }

  /// Returns a stream with a few bytes changed, removed, inserted, or repeated.
  mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<(1 + number(below: 4)) where !bytes.isEmpty {
      let place = number(below: bytes.count)
      switch number(below: 6) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 1: bytes[place] ^= 1 << UInt8(number(below: 8))
      case 2: bytes[place] = pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
      case 3: bytes.remove(at: place)
      case 4: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
      default:
        let part = bytes[place..<min(bytes.count, place + number(below: 40))]
        bytes.insert(contentsOf: part, at: number(below: bytes.count))
      }
    }
    return bytes
  }
}
