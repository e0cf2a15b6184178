import Foundation
import ProgramTesting
import Testing

/// Shared libraries that the program loads when they are needed.
@Suite("Shared libraries") struct LibraryTests {
  @Test("a library in the program's folder is not loaded, but reported by name")
  func planted() throws {
    guard try Command(["sh", "-c", "command -v cc"]).run().status == 0 else {
      return skip("no C compiler is installed")
    }
    let sandbox = try Sandbox(remotes: [])
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.dav]
      sync = "plain-files"
      cloud = "webdav"
      [remotes.dav.webdav]
      url = "http://127.0.0.1:1/"
      """
    try sandbox.write(settings, to: "s.toml")
    try sandbox.write("", to: "bin/empty")
    // Another process copies it, as in `writeProgram`.
    try Command(["cp", Sandbox.binary, sandbox.path("bin/syncd")]).succeed()
    let proof = sandbox.path("executed")
    let source = """
      #include <fcntl.h>
      __attribute__((constructor)) static void run(void) { open("\(proof)", O_CREAT | O_WRONLY, 0600); }
      """
    try sandbox.write(source, to: "planted.c")
    let library = sandbox.path("bin/libcurl.so.4")
    try Command(["cc", "-shared", "-fPIC", "-o", library, sandbox.path("planted.c")]).succeed()
    let outcome = try Command([sandbox.path("bin/syncd"), "--settings", sandbox.path("s.toml"), "doctor", "dav"]).run()
    #expect(!FileManager.default.fileExists(atPath: proof), "\(outcome.story)")
    #expect((outcome.text + outcome.err).contains("is in the program's folder; remove it"), "\(outcome.story)")
  }
}
