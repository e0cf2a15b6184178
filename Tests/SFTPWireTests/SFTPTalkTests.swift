import SSHConnection
import SyncKit
import Testing

@testable import SFTPWire

/// An sftp server in memory that answers each request by a closure, the last request in transit first.
private final class ReversingServer: RemoteProcess {
  private let answer: (UInt8, [UInt8]) -> [UInt8]
  private var waiting: [[UInt8]] = []
  private var received: [UInt8] = []
  private var isGreeted = false
  /// The largest number of requests that waited for an answer.
  private(set) var mostWaiting = 0

  /// - Parameter answer: returns the type and the payload after the id, for a request's type and its payload after the id.
  init(_ answer: @escaping (UInt8, [UInt8]) -> [UInt8]) { self.answer = answer }

  func write(_ bytes: [UInt8]) -> Bool {
    received += bytes
    while received.count >= 4 {
      let length = Int(received.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
      waiting.append(Array(received[4..<4 + length]))
      received.removeFirst(4 + length)
    }
    mostWaiting = max(mostWaiting, waiting.count)
    return true
  }

  func nextOutput() -> [UInt8] {
    guard let request = waiting.popLast() else { return [] }
    guard isGreeted else {
      isGreeted = true
      return Self.packet([2, 0, 0, 0, 3])
    }
    let reply = answer(request[0], Array(request.dropFirst(5)))
    return Self.packet([reply[0]] + request[1..<5] + reply.dropFirst())
  }

  private static func packet(_ body: [UInt8]) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) } + body
  }

  var errorLines: [String] { [] }
  var exitStatus: Int? { nil }
  func end(isComplete: Bool) {}
}

@Suite("A conversation with an sftp server") struct SFTPTalkTests {
  private static let done: [UInt8] = [101, 0, 0, 0, 0]

  @Test("a thousand requests have at most 64 in transit, and each gets its own answer in whatever order they arrive")
  func window() throws {
    // The answer is the last byte of the path as the size.
    let server = ReversingServer { _, payload in
      [105, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, payload.last ?? 0]
    }
    let talk = try SFTPTalk(server, patience: .seconds(60))
    let replies = try talk.perform((0..<1_000).map { .stat([UInt8($0 % 251)]) })
    #expect(replies == (0..<1_000).map { .attributes(SFTPAttributes(size: UInt64($0 % 251))) })
    #expect(server.mostWaiting == SFTPTalk.window)
  }

  @Test("an answer of another kind, to no request, or beyond its packet ends the conversation")
  func violations() throws {
    for reply: [UInt8] in [
      [103, 0, 0, 0, 1, 1], [101], [104, 255, 255, 255, 255], [99], [101, 0, 0, 0, 4, 0, 0, 9, 0],
    ] {
      let talk = try SFTPTalk(ReversingServer { _, _ in reply }, patience: .seconds(60))
      #expect(throws: SFTPError.self) { try talk.perform([.remove([1])]) }
    }
  }

  @Test("a stream that ends or begins with other output is not sftp")
  func greeting() throws {
    final class Noise: RemoteProcess {
      var output: [[UInt8]] = [Array("Welcome\n".utf8), []]
      func write(_ bytes: [UInt8]) -> Bool { true }
      func nextOutput() -> [UInt8] { output.isEmpty ? [] : output.removeFirst() }
      var errorLines: [String] { [] }
      var exitStatus: Int? { nil }
      func end(isComplete: Bool) {}
    }
    do throws(SFTPError) {
      _ = try SFTPTalk(Noise(), patience: .seconds(60))
      Issue.record("noise was accepted")
    } catch {
      guard case .notOffered(let said) = error else { throw error }
      #expect(said == Array("Welcome\n".utf8))
    }
  }

  @Test("requests are encoded as the draft prescribes")
  func encoding() {
    #expect(
      SFTPRequest.create(Array("ab".utf8)).packet(7)
        == [0, 0, 0, 19, 3, 0, 0, 0, 7, 0, 0, 0, 2, 97, 98, 0, 0, 0, 0x2A, 0, 0, 0, 0])
    #expect(
      SFTPRequest.read(handle: [9], offset: 1 << 32, count: 5).packet(1)
        == [0, 0, 0, 22, 5, 0, 0, 0, 1, 0, 0, 0, 1, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5])
    #expect(
      SFTPRequest.setAttributes([97], permissions: 0o600, seconds: 2).packet(1)
        == [0, 0, 0, 26, 9, 0, 0, 0, 1, 0, 0, 0, 1, 97, 0, 0, 0, 12, 0, 0, 1, 0x80, 0, 0, 0, 2, 0, 0, 0, 2])
    let name = Array("hardlink@openssh.com".utf8)
    #expect(
      SFTPRequest.link([97], to: [98]).packet(1)
        == [0, 0, 0, 39, 200, 0, 0, 0, 1, 0, 0, 0, 20] + name + [0, 0, 0, 1, 97, 0, 0, 0, 1, 98])
  }
}
