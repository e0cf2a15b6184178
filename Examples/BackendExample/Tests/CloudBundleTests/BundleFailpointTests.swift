import Foundation
import Testing

/// A program that is linked with the bundle is killed at the bundle's failpoints, and continues in the next run.
@Suite("A program with the bundle backend")
struct BundleFailpointTests {
  static let failpoints = ["bundle.file.writing", "bundle.file.written", "bundle.file.replaced"]

  @Test("the program lists the failpoints of the bundle and those of syncd")
  func listed() throws {
    let box = try Box()
    defer { box.remove() }
    let list = try box.run([], failpoints: "list").output.split(separator: "\n").map(String.init)
    #expect(list.contains("pass.finished P8"))
    #expect(Self.failpoints.allSatisfy { list.contains("\($0) P7") })
  }

  @Test("a run that is killed at a bundle's failpoint is completed by the next run", arguments: failpoints)
  func killed(failpoint: String) throws {
    let box = try Box()
    defer { box.remove() }
    // The first bundle is empty; the second has the file.
    let first = try box.run(["--once"], failpoints: "\(failpoint)=kill@nth(2)")
    #expect(first.signal == SIGKILL)
    #expect(try box.run(["--once"]).status == 0)
    #expect(
      try String(contentsOf: box.folder.appending(path: "stick.bundle"), encoding: .utf8).contains("* A headline"))
    #expect(try box.names == ["settings.toml", "state", "stick.bundle", "store"])
  }

  @Test("a failpoint that no module declares is refused")
  func unknown() throws {
    let box = try Box()
    defer { box.remove() }
    #expect(try box.run(["--once"], failpoints: "bundle.file.typo=kill").status == 2)
  }
}

/// A folder with a store of one file, and settings that sync it with a bundle.
private struct Box {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bundle-syncd-\(UUID().uuidString)")
    let store = folder.appending(path: "store")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    try Data("* A headline\n".utf8).write(to: store.appending(path: "notes.org"))
    try Data(settings.utf8).write(to: folder.appending(path: "settings.toml"))
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  private var settings: String {
    """
    [syncd]
    state = "state"

    [store]
    backend = "org-files"
    path = "store"

    [remotes.stick]
    sync = "plain-files"
    cloud = "bundle"

    [remotes.stick.bundle]
    path = "stick.bundle"

    """
  }

  /// Runs the program to its end.
  func run(
    _ arguments: [String], failpoints: String? = nil
  ) throws -> (status: Int32?, signal: Int32?, output: String) {
    let process = Process()
    process.executableURL = try Bundle.program
    process.arguments = arguments + ["--settings", folder.appending(path: "settings.toml").path]
    process.environment = ProcessInfo.processInfo.environment.merging(
      failpoints.map { ["SYNCD_FAILPOINTS": $0] } ?? [:]
    ) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    let number = process.terminationStatus
    return (wasKilled ? nil : number, wasKilled ? number : nil, String(decoding: output, as: UTF8.self))
  }
}

extension Foundation.Bundle {
  /// The daemon, which the build places beside the tests.
  fileprivate static var program: URL {
    get throws {
      var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      while folder.path != "/" {
        let program = folder.appending(path: "bundle-syncd")
        if FileManager.default.isExecutableFile(atPath: program.path) { return program }
        folder.deleteLastPathComponent()
      }
      throw CocoaError(.fileNoSuchFile)
    }
  }
}
