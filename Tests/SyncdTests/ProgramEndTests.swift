import Foundation
import ProgramTesting
import Testing

@Suite("The end of the program") struct ProgramEndTests {
  /// A library whose exit handler ends the process abnormally, in place of one that frees what another thread is using.
  private static let handler = """
    #include <stdlib.h>
    __attribute__((destructor)) static void end(void) { abort(); }

    """

  @Test(
    "no exit handler of a library changes the status or the output",
    arguments: [["--version"], ["--nonsense"], ["status"]])
  func exitHandlers(words: [String]) throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write(Self.handler, to: "handler.c")
    let library = sandbox.path("handler.so")
    try Command([
      "sh", "-c", "\"$(command -v cc || command -v clang)\" -shared -fPIC -o \"$0\" \"$1\"", library,
      sandbox.path("handler.c"),
    ]).succeed()
    let expected = try sandbox.command(words).run()
    let outcome = try sandbox.command(words, environment: ["LD_PRELOAD": library]).run()
    #expect(outcome.status == expected.status && outcome.out == expected.out, "\(outcome.story)")
    // The library has the expected effect on a program that runs the handlers.
    #expect(try Command(["env", "LD_PRELOAD=\(library)", "true"]).run().status == 128 + SIGABRT)
  }
}
