import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Servers for tests")
struct ServerProcessTests {
  @Test func `a server ends with its owner, whatever signals the starting thread blocks`() async throws {
    // It never ends by itself: on a busy machine this test may have to wait for any number of seconds.
    var server: ServerProcess? = try await ServerProcess(["sh", "-c", "echo $$; exec sleep infinity"])
    let id = try #require(server.flatMap { pid_t($0.lines[0]) })
    #expect(kill(id, 0) == 0)
    server = nil
    for _ in 0..<30_000 where kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(kill(id, 0) != 0)
  }
}
