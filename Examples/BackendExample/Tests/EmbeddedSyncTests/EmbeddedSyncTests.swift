import Foundation
import Testing

/// The program that syncs with a session, as `docs/embedding.md` shows it.
@Suite("A program with a sync session")
struct EmbeddedSyncTests {
  @Test func `a session merges changes of one file in two folders`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "embedded-sync-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let parts = ["store", "remote", "state"].map { folder.appending(path: $0) }
    for part in parts { try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true) }
    let (ours, theirs) = (parts[0].appending(path: "notes.org"), parts[1].appending(path: "notes.org"))

    try Data("* TODO Seeds\n* Spade\n".utf8).write(to: ours)
    try Data("ignored".utf8).write(to: parts[0].appending(path: "scan.pdf"))
    #expect(try run(parts).contains("mirror: synced"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: parts[1].path).contains("scan.pdf") == false)

    try Data("* DONE Seeds\n* Spade\n".utf8).write(to: ours)
    try Data("* TODO Seeds\n* Spade\nsharpen it\n".utf8).write(to: theirs)
    let output = try run(parts)
    #expect(output.contains("writing 1 of 1: notes.org") && output.contains("mirror: synced"))
    for file in [ours, theirs] {
      #expect(try String(contentsOf: file, encoding: .utf8) == "* DONE Seeds\n* Spade\nsharpen it\n")
    }
  }

  @Test func `a session reports the error of a remote`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "embedded-sync-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let parts = ["store", "missing/remote", "state"].map { folder.appending(path: $0) }
    for part in [parts[0], parts[2]] {
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
    }
    #expect(try run(parts).contains("missing"))
  }

  /// Runs the program to its end; returns its output.
  private func run(_ folders: [URL]) throws -> String {
    let process = Process()
    process.executableURL = try program()
    process.arguments = folders.map(\.path)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }

  /// The program, which the build places beside the tests.
  private func program() throws -> URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.appending(path: "embedded-sync")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
