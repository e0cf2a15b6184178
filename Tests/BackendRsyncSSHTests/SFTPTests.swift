import Foundation
import ProgramTesting
import Programs
import RsyncWire
import SyncKit
import Testing

@testable import BackendRsyncSSH

/// An sftp server that is a local program.
private final class LocalServer: ByteStream {
  private let program: Program

  init(_ path: String) throws {
    program = try Program([path], variables: [:], patience: .seconds(30), Stop())
  }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    do throws(SyncError) { _ = try program.write(bytes) } catch { throw .stream(error) }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try program.nextOutput() } catch { throw .stream(error) }
  }
}

/// A server that has sent everything before it was asked.
private final class Recording: ByteStream {
  private var bytes: ArraySlice<UInt8>
  private let piece: Int

  init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes[...]
    self.piece = piece
  }

  func write(_ bytes: [UInt8]) throws(RsyncError) {}

  func read() throws(RsyncError) -> [UInt8] {
    defer { bytes = bytes.dropFirst(piece) }
    return Array(bytes.prefix(piece))
  }
}

@Suite("The sftp client") struct SFTPTests {
  private static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  private static func string(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }

  private static func packet(_ bytes: [UInt8]) -> [UInt8] { number(bytes.count) + bytes }

  private static func version(_ number: Int = 3, _ names: [String] = [SFTPRequest.mover, SFTPRequest.linker]) -> [UInt8]
  {
    packet([2] + Self.number(number) + names.flatMap { string($0) + string("1") })
  }

  private static func status(_ id: Int, _ code: Int, _ message: String = "") -> [UInt8] {
    packet([101] + number(id) + number(code) + string(message) + string("en"))
  }

  @Test("a move takes one step, a link does not replace a name, and stat reports the kind")
  func server() throws {
    guard let path = SFTPServer.path, SFTPServer.isAvailable else { return }
    let folder = NSTemporaryDirectory() + "sftp-\(UUID().uuidString)/"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["one", "two"] { try Data("\(name)\n".utf8).write(to: URL(filePath: folder + name)) }
    let client = try SFTPClient(LocalServer(path))
    func at(_ name: String) -> [UInt8] { Array((folder + name).utf8) }
    let replies = try client.perform([
      .stat(at("one")), .stat(at("none")), .makeFolder(at("f")), .stat(at("f")), .makeFolder(at("f")),
      .link(at("one"), to: at("two")), .link(at("one"), to: at("f/three")), .move(at("one"), to: at("two")),
      .stat(at("one")), .removeFolder(at("f")), .remove(at("f/three")), .removeFolder(at("f")),
    ])
    #expect(replies[0] == .found(.file) && replies[1].isMissing && replies[2].isDone && replies[3] == .found(.folder))
    #expect(replies[4].refusal != nil && replies[5].refusal != nil && replies[6].isDone && replies[7].isDone)
    #expect(replies[8].isMissing && replies[9].refusal != nil && replies[10].isDone && replies[11].isDone)
    #expect(FileManager.default.contents(atPath: folder + "two") == Data("one\n".utf8))
    #expect(try client.perform([]).isEmpty)
    let many = try client.perform(Array(repeating: .stat(at("two")), count: 3_000))
    #expect(many.allSatisfy { $0 == .found(.file) })
  }

  @Test("responses may arrive in any order and in any pieces")
  func order() throws {
    let bytes = Self.version() + Self.status(2, 4, "no\u{7}") + Self.status(1, 0)
    for piece in [1, 3, Int.max] {
      let client = try SFTPClient(Recording(bytes, piece: piece))
      let replies = try client.perform([.remove([0x61]), .remove([0x62])])
      #expect(replies == [.done, .refused(code: 4, message: "no\\x07")])
    }
  }

  @Test("a server of another kind is refused")
  func greetings() {
    let cases: [([UInt8], String)] = [
      ([], "notOffered"), (Array("Welcome\n".utf8), "notOffered"), (Self.version(2), "lacks"),
      (Self.version(3, [SFTPRequest.mover]), "lacks"), (Self.version(3, []), "lacks"),
      (Self.packet([101]), "lacks"), (Self.packet([2, 0]), "violation"),
    ]
    for (bytes, expected) in cases {
      #expect(Self.end(of: { () throws(SFTPError) in _ = try SFTPClient(Recording(bytes)) }) == expected, "\(bytes)")
    }
  }

  @Test("the conversation ends if the server answers an unsent request, answers too much, or disconnects")
  func lies() {
    let cases: [([UInt8], String)] = [
      (Self.status(7, 0), "violation"), (Self.status(1, 0) + Self.status(1, 0), "violation"),
      (Self.packet([103] + Self.number(1)), "violation"), (Self.number(0), "violation"),
      (Self.number(1 << 30), "violation"), (Self.packet([101] + Self.number(1)), "violation"),
      (Self.status(1, 0), "brokenOff"), (Self.status(1, 0).dropLast(), "brokenOff"),
    ]
    for (bytes, expected) in cases {
      let end = Self.end { () throws(SFTPError) in
        _ = try SFTPClient(Recording(Self.version() + bytes)).perform([.stat([0x61]), .stat([0x62])])
      }
      #expect(end == expected, "\(bytes)")
    }
  }

  @Test("the conversation ends, whatever a server sends")
  func mutations() {
    let attributes = [UInt8(105)] + Self.number(2) + Self.number(0x0F) + Array(repeating: 0x41, count: 28)
    let seed = Self.version() + Self.status(1, 4, "Failure") + Self.packet(attributes)
    var generator = SplitMix64(state: 11)
    for _ in 0..<(isSoak ? 1_000_000 : 5_000) {
      var bytes = seed
      for _ in 0...generator.next() % 4 {
        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      bytes.removeLast(Int(generator.next() % 8))
      _ = Self.end { () throws(SFTPError) in
        _ = try SFTPClient(Recording(bytes, piece: 16)).perform([.stat([0x61]), .stat([0x62])])
      }
    }
  }

  private static func end(of conversation: () throws(SFTPError) -> Void) -> String {
    do throws(SFTPError) {
      try conversation()
      return "accept"
    } catch {
      return String("\(error)".prefix { $0.isLetter })
    }
  }
}
