import Foundation
import ProgramTesting
import Testing

/// The pages in `docs/how-to`: `Scripts/run-examples.py` runs the commands that they show and compares the output.
@Suite("How-to pages as tests") struct HowToTests {
  private static let pages: [String] = {
    let folder = Documents.project.appending(path: "docs/how-to").path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".md") }
      .sorted()
  }()

  /// The pages with a recording in `docs/sessions`.
  private static let recordings: [String] = {
    let folder = Documents.project.appending(path: "docs/sessions").path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".cast") }
      .map { $0.replacing(".cast", with: ".md") }.sorted()
  }()

  private func runExamples(_ pages: String..., in folder: URL? = nil) throws -> Outcome {
    let script = Documents.project.appending(path: "Scripts/run-examples.py").path
    var command = Command(["python3", script] + pages)
    command.environment["SYNCD"] = Sandbox.binary
    command.folder = folder?.path ?? Documents.project.appending(path: "docs/how-to").path
    return try command.run()
  }

  @Test("every command of a page prints what the page shows", arguments: pages)
  func page(name: String) throws {
    let outcome = try runExamples(name)
    if outcome.status == 3 { return skip(outcome.text) }
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("every command of the page about the agenda prints what the page shows")
  func agenda() throws {
    let outcome = try runExamples("../find-entries.md")
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("the recording of a page is what the program prints in a terminal", arguments: recordings)
  func recording(name: String) throws {
    let outcome = try runExamples("--record", Documents.project.appending(path: "docs/sessions").path, name)
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("a recording with different output is detected, and a missing one")
  func wrongRecording() throws {
    let sandbox = try Sandbox()
    let folder = URL(filePath: sandbox.root)
    // A progress bar that was removed again is not part of the recording.
    let command = "printf 'scanning\\r\\033[K'; test -t 1 && echo terminal"
    try sandbox.write("# Page\n```console\n$ \(command)\nterminal\n```\n", to: "page.md")
    #expect(try runExamples("--record", sandbox.root, "page.md", in: folder).status == 1)
    #expect(try runExamples("--record", sandbox.root, "--update", "page.md", in: folder).status == 0)
    #expect(try runExamples("--record", sandbox.root, "page.md", in: folder).status == 0)
    let recording = try #require(sandbox.read("page.cast"))
    #expect(recording.hasPrefix("{\"version\": 2,") && recording.contains("\"terminal\\r\\n\""), "\(recording)")
    try sandbox.write(recording.replacing("terminal\\r", with: "pipe\\r"), to: "page.cast")
    #expect(try runExamples("--record", sandbox.root, "page.md", in: folder).status == 1)
  }

  @Test("a page with different output is detected")
  func wrongPage() throws {
    let sandbox = try Sandbox()
    try sandbox.write("```console\n$ syncd --version\nsyncd of another world\n```\n", to: "wrong.md")
    try sandbox.write("```console\n$ echo right\nright\n```\n", to: "right.md")
    let folder = URL(filePath: sandbox.root)
    #expect(try runExamples("wrong.md", in: folder).status == 1)
    #expect(try runExamples("right.md", in: folder).status == 0)
  }

  @Test("the index lists every page")
  func index() throws {
    let index = try Documents.text("docs/README.md")
    for page in Self.pages { #expect(index.contains("(how-to/\(page))"), "docs/README.md does not link \(page)") }
    #expect(Self.pages.count >= 10)
    let sessions = try Documents.text("sessions.md")
    for page in Self.recordings {
      #expect(sessions.contains("(how-to/\(page))"), "docs/sessions.md does not link \(page)")
      let recording = page.replacing(".md", with: ".cast")
      #expect(sessions.contains("(sessions/\(recording))"), "docs/sessions.md does not link \(recording)")
    }
    #expect(Self.recordings.count >= 7)
  }
}
