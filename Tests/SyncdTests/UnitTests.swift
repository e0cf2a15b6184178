import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("The systemd unit and the process") struct UnitTests {
  @Test("may use the calls and the memory of a service only")
  func unit() throws {
    let unit = try Sandbox().syncd("service", "print", "--for", "systemd").text
    for line in ["LimitCORE=0", "MemoryMax=1G", "NoNewPrivileges=yes", "SystemCallFilter=@system-service"] {
      #expect(unit.contains("\n\(line)\n"), "\(line)")
    }
  }

  #if os(Linux)
    @Test("keeps its memory, in which keys are, from core dumps and from other processes of its user")
    func memory() throws {
      let sandbox = try Sandbox(inMemory: true)
      // Root can read the memory of every process, another user that of their own ones, such as `sleep`.
      let isRoot = geteuid() == 0
      if isRoot { try Command(["chown", "-R", "65534:65534", sandbox.root]).succeed() }
      let rights = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
      let script = """
        cd "$1"; shift
        reads() { cat "/proc/$1/environ" >/dev/null 2>&1 && echo yes || echo no; }
        "$@" 2>/dev/null & id=$!
        until [ -S state/control ] || ! kill -0 $id; do sleep 0.1; done
        echo "syncd: $(reads $id), $(grep -c '^Max core file size *0 *0 ' /proc/$id/limits)"
        kill -9 $id; wait $id 2>/dev/null
        sleep 60 & echo "sleep: $(reads $!)"; kill $!
        """
      let words = ["sh", "-c", script, "sh", sandbox.root, Sandbox.binary, "--settings", sandbox.path("s.toml")]
      let outcome = try Command(rights + words).run()
      #expect(outcome.text.split(separator: "\n") == ["syncd: no, 1", "sleep: yes"], "\(outcome.story)")
    }
  #endif
}
