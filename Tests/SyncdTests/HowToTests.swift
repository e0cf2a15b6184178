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
  }
}
