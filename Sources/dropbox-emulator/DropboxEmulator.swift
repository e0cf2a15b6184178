import DropboxEmulator
import Foundation

/// `dropbox-emulator [PORT]`: a Dropbox in memory on this machine, for tests and for authors of backends.
///
/// Prints `URL=http://127.0.0.1:PORT` and serves until it is ended. `POST /emulator/control` makes it go wrong; see
/// docs/dropbox-emulator.md.
@main struct Program {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard let port = words.isEmpty ? 0 : UInt16(words.joined()) else {
      FileHandle.standardError.write(Data("usage: dropbox-emulator [PORT]\n".utf8))
      exit(2)
    }
    let server = EmulatorServer(port: port)
    let address = try await server.start()
    // Not `print`, which keeps it back where nobody looks at a terminal.
    FileHandle.standardOutput.write(Data("URL=\(address)\n".utf8))
    try await server.wait()
  }
}
