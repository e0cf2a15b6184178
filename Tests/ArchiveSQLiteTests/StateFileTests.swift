import Foundation
import ProgramTesting
import Testing

@testable import ArchiveSQLite

@Suite("Files of the state folder") struct StateFileTests {
  @Test("several writers replace a file one after the other")
  func writers() async throws {
    let folder = ScratchFolder()
    let path = folder.path + "/file"
    // Long enough for several writes of the system if it were interrupted.
    let texts = (0..<8).map { [UInt8](repeating: UInt8(ascii: "a") + UInt8($0), count: 100_000 + $0) }
    try await withThrowingTaskGroup { group in
      for text in texts {
        group.addTask { for _ in 0..<20 { try StateFile.replace(path, with: text) } }
      }
      try await group.waitForAll()
    }
    let content = try [UInt8](Data(contentsOf: URL(filePath: path)))
    #expect(texts.contains(content))
    #expect(try StateFile.names(in: folder.path) == ["file"])
  }

  @Test("a file that a killed process left is used again, and nothing of it remains")
  func leftover() throws {
    let folder = ScratchFolder()
    let path = folder.path + "/file"
    try Data("a long text of a killed process".utf8).write(to: URL(filePath: path + ".tmp"))
    try StateFile.replace(path, with: Array("short".utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "short")
    #expect(try StateFile.names(in: folder.path) == ["file"])
  }
}
