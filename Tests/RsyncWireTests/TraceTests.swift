import Foundation
import RsyncWire
import Testing

@Suite("Recorded conversations with real rsync servers") struct TraceTests {
  private static let lists = ["01-list", "02-list-md5", "03-list-edge", "04-list-ioerror", "05-list-missing-root"]
    .map(Trace.init)

  @Test("a file list matches the server's files", arguments: lists)
  func list(trace: Trace) throws {
    let scope: Reading.Scope = trace.name.contains("md5") ? .names([]) : .everything
    let stream = ScriptedStream(try trace.fromServer())
    let fetched = try fetch(stream, scope, onlyLists: true)
    try expect(fetched.list, trace)
    #expect(fetched.hasErrors == ((try trace.facts()["ioError"] as? Int ?? 0) != 0))
    if case .everything = scope { #expect(stream.heard == (try trace.fromClient())) }
  }

  @Test("files arrive whole, and as a delta to the existing version", arguments: ["06-pull-delta"].map(Trace.init))
  func pull(trace: Trace) throws {
    let (basis, new) = (try Trace.file("06-pull-delta.base.bin"), try Trace.file("06-pull-delta.new.bin"))
    let stream = ScriptedStream(try trace.fromServer())
    let fetched = try fetch(stream, wanting: [1: [], 2: basis])
    try expect(fetched.list, trace)
    #expect(fetched.contents[2] == new)
    #expect(hexadecimal(md5(fetched.contents[1] ?? [])) == "a83d17dbd060ef289f0d644ce2fa6b9c")
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("a vanished file is missing, and the others arrive")
  func vanished() throws {
    let trace = Trace(name: "07-pull-nosend")
    let stream = ScriptedStream(try trace.fromServer())
    let list = try fetch(ScriptedStream(try Trace(name: "07-pull-nosend").fromServer()), wanting: [1: [], 2: []])
    #expect(list.missing == [1] && list.contents[1] == nil && list.hasErrors)
    _ = try fetch(stream, wanting: [1: [], 2: []])
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("messages that an older server sends in the stream are skipped")
  func inBand() throws {
    let trace = Trace(name: "12-inband-messages-3.1.3")
    let fetched = try fetch(ScriptedStream(try trace.fromServer()), wanting: [1: [], 2: [], 4: [], 7: []])
    try expect(fetched.list, trace)
    #expect(fetched.hasErrors && fetched.missing == [4])
    let hashes = [1: "b04bb088150deb44caec2e765de036b9", 7: "d41d8cd98f00b204e9800998ecf8427e"]
    for (index, hash) in hashes { #expect(hexadecimal(md5(fetched.contents[index] ?? [1])) == hash) }
  }

  @Test("every form of a number is decoded and encoded")
  func indices() throws {
    let trace = Trace(name: "13-ndx-encoding")
    let wanted = Dictionary(uniqueKeysWithValues: [1, 2, 255, 256, 510, 600].map { ($0, [UInt8]()) })
    let stream = ScriptedStream(try trace.fromServer())
    let fetched = try fetch(stream, wanting: wanted)
    #expect(fetched.list.files.count == 601)
    let texts = fetched.contents.mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(texts == [1: "0", 2: "1", 255: "254", 256: "255", 510: "509", 600: "599"])
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("an audit lists the server's files and removes the named one")
  func audit() throws {
    let trace = Trace(name: "10-audit-delete")
    let names = ["a.org", "nope.org", "b.org", "a.org.syncd-dev1-0.tmp"].map { Array($0.utf8) }
    let stream = ScriptedStream(try trace.fromServer())
    let fetched = try fetch(stream, .names(names), releasing: [2])
    try expect(fetched.list, trace)
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("files are sent with their conditions")
  func push() throws {
    let trace = Trace(name: "08-push")
    let (base, new) = (try Trace.file("06-pull-delta.base.bin"), try Trace.file("06-pull-delta.new.bin"))
    let stream = ScriptedStream(try trace.fromServer())
    let delivery = try deliver(stream, Self.pushed(base, new))
    #expect(delivery.refused == ["conf.org"])
    #expect(delivery.sent == ["new.org", "t.org", "mk/x.org", "sub/u.org"])
    #expect(delivery.unchanged == ["same.org", "mk"])
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("a file that changed after its checksums were made is refused")
  func repeated() throws {
    let trace = Trace(name: "09-push-redo-refused")
    let (base, new) = (try Trace.file("06-pull-delta.base.bin"), try Trace.file("06-pull-delta.new.bin"))
    let stream = ScriptedStream(try trace.fromServer())
    let delivery = try deliver(stream, [Sent("t.org", new, over: base)])
    #expect(delivery.sent == ["t.org"] && delivery.refused == ["t.org"] && delivery.landed.isEmpty)
    #expect(unframed(stream.heard) == unframed(try trace.fromClient()))
  }

  @Test("a server that aborts reports its exit status")
  func exit() throws {
    let bytes = try Trace(name: "11-error-exit").fromServer()
    #expect(
      name(of: { () throws(RsyncError) in _ = try deliver(ScriptedStream(bytes), [Sent("a.org", [1], over: nil)]) })
        == "remoteExit(11)")
  }

  @Test("the result does not depend on how a stream is split into pieces", arguments: lists)
  func pieces(trace: Trace) throws {
    let bytes = try trace.fromServer()
    let scope: Reading.Scope = trace.name.contains("md5") ? .names([]) : .everything
    try expect(try fetch(ScriptedStream(bytes, cutting: 1), scope).list, trace)
    for cut in bytes.indices {
      try expect(try fetch(ScriptedStream(bytes[..<cut], bytes[cut...]), scope).list, trace)
    }
  }

  @Test("a stream that ends early is never accepted as complete")
  func prefixes() throws {
    let base = try Trace.file("06-pull-delta.base.bin")
    for (name, isPush) in [("01-list", false), ("06-pull-delta", false), ("08-push", true)] {
      let bytes = try Trace(name: name).fromServer()
      for cut in bytes.indices {
        let stream = ScriptedStream(Array(bytes[..<cut]))
        let end =
          name == "01-list"
          ? RsyncWireTests.name(of: { () throws(RsyncError) in _ = try fetch(stream, onlyLists: true) })
          : RsyncWireTests.name(of: { () throws(RsyncError) in
            if isPush {
              _ = try deliver(stream, Self.pushed(base, base))
            } else {
              _ = try fetch(stream, wanting: [1: [], 2: base])
            }
          })
        // Fewer bytes than those of a version are not a version.
        #expect(end == "brokenOff" || cut < 4 && end == "notRsync", "\(name) cut at \(cut): \(end)")
      }
    }
  }

  private static func pushed(_ base: [UInt8], _ new: [UInt8]) -> [Sent] {
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    return [
      Sent("conf.org", bytes("ours\n"), over: bytes("base\n")), Sent("new.org", bytes("* new\n"), over: nil),
      Sent("same.org", bytes("same\n"), over: bytes("same\n")), Sent("t.org", new, over: base),
      Sent(folder: "mk", isNew: true), Sent("mk/x.org", bytes("x"), over: nil), Sent(folder: "sub", isNew: false),
      Sent("sub/u.org", bytes("newer\n"), over: bytes("old\n")),
    ]
  }

  private func expect(_ list: FileList, _ trace: Trace) throws {
    let entries = try trace.facts()["entries"] as? [[String: Any]] ?? []
    #expect(list.files.map(Seen.init) == entries.map(Seen.init))
  }
}

/// Returns the name of the error that `body` throws.
func name(of body: () throws(RsyncError) -> Void) -> String {
  do throws(RsyncError) { try body() } catch {
    switch error {
    case .notRsync: return "notRsync"
    case .tooOld: return "tooOld"
    case .violation(let violation): return "\(violation)"
    case .brokenOff: return "brokenOff"
    case .remoteExit(let status): return "remoteExit(\(status))"
    case .stream(let error): return "\(error)"
    }
  }
  return "accept"
}
