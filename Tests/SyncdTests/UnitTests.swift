import ProgramTesting
import Testing

@Suite("The unit of systemd") struct UnitTests {
  @Test("limits the service to the calls and the memory of one")
  func limits() throws {
    let unit = try Sandbox().syncd("service", "print", "--for", "systemd").text
    for line in ["LimitCORE=0", "MemoryMax=1G", "NoNewPrivileges=yes", "SystemCallFilter=@system-service"] {
      #expect(unit.contains("\n\(line)\n"), "\(line)")
    }
  }
}
