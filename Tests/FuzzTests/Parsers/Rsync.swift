import RsyncWire

@testable import BackendRsyncSSH

extension FuzzTarget {
  static let rsync = FuzzTarget(name: "rsync", tokens: ["../a", "a/b", "\u{0}\u{0}\u{0}\u{7}", "\u{4}\u{10}"]) {
    input in
    for onlyLists in [true, false] {
      do throws(RsyncError) {
        let reading = try Reading(Script(input), .everything, onlyLists: onlyLists)
        guard !onlyLists, !reading.list.files.isEmpty else { continue }
        try reading.request(0)
        try reading.endPhase()
        while let answer = try reading.answer() {
          guard case .file = answer else { continue }
          var assembly = Assembly(basis: [])
          while true {
            let piece = try reading.piece()
            _ = try assembly.bytes(piece)
            if case .end = piece { break }
          }
        }
        try reading.finish()
      } catch {}
    }
  }

  static let sftp = FuzzTarget(name: "sftp", tokens: ["hardlink@openssh.com", "\u{0}\u{0}\u{0}\u{3}"]) { input in
    var packet = SFTPReader(input)
    _ = try? packet.extensions()
    packet = SFTPReader(input)
    _ = try? packet.reply()
  }
}

/// A server that sends a script and reads everything.
private final class Script: ByteStream {
  private var rest: [UInt8]

  init(_ bytes: [UInt8]) { rest = bytes }

  func write(_ bytes: [UInt8]) {}

  func read() -> [UInt8] {
    defer { rest = [] }
    return rest
  }
}
