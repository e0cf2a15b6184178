import CPOSIX
import ChildProcesses
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("A child process")
struct ChildProcessTests {
  private static let variables = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]

  private func start(
    _ arguments: [String], variables: [String: String] = variables, hasInput: Bool = false, hasErrors: Bool = false
  ) throws(ChildProcessError) -> ChildProcess {
    try ChildProcess(arguments, variables: variables, hasInput: hasInput, hasErrors: hasErrors)
  }

  /// All bytes until the child closes the pipe, as text.
  private func text(_ descriptor: CInt) -> String {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count > 0 { bytes += buffer.prefix(count) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      if count < 0 {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&ready, 1, 1_000)
      }
    }
  }

  private func end(of child: ChildProcess) -> ChildProcess.Exit? {
    while child.isRunning { usleep(1_000) }
    return child.exit
  }

  @Test("a child reports its exit status, and the signal that ended it")
  func exits() throws {
    #expect(end(of: try start(["sh", "-c", "exit 7"])) == .exited(7))
    #expect(end(of: try start(["sh", "-c", "kill -TERM $$"])) == .signalled(Int(SIGTERM)))
  }

  @Test("a child has exactly the given environment")
  func environment() throws {
    unsafe setenv("SYNCD_TEST_LEAK", "1", 1)
    let child = try start(["env"], variables: ["PATH": "/usr/bin:/bin", "A": "b c"])
    let lines = text(child.output).split(separator: "\n").sorted()
    #expect(lines == ["A=b c", "PATH=/usr/bin:/bin"])
    _ = end(of: child)
  }

  @Test("a child reads its input until the input is closed")
  func input() throws {
    let child = try start(["cat"], hasInput: true)
    let bytes = Array("text\n".utf8)
    #expect(unsafe write(child.input, bytes, bytes.count) == bytes.count)
    child.closeInput()
    #expect(text(child.output) == "text\n" && child.input == -1)
    #expect(end(of: child) == .exited(0))
  }

  @Test("standard output and standard error are separate")
  func errors() throws {
    let child = try start(["sh", "-c", "echo out; echo err >&2"], hasErrors: true)
    #expect(text(child.output) == "out\n" && text(child.errors) == "err\n")
    _ = end(of: child)
  }

  @Test("a child does not inherit descriptors of this process")
  func descriptors() throws {
    let open = unsafe CPOSIX.posix_openat(AT_FDCWD, "/dev/null", O_RDONLY, 0)
    // The copy has no close-on-exec flag. Its number is a free one, because tests that run at the same time have files open.
    let copy = CPOSIX.posix_fcntl(open, F_DUPFD, 200)
    defer {
      close(open)
      close(copy)
    }
    let child = try start(["sh", "-c", "if [ -e /dev/fd/\(copy) ]; then echo inherited; else echo closed; fi"])
    #expect(text(child.output) == "closed\n")
    _ = end(of: child)
  }

  @Test("killing a child kills every process of its group")
  func group() throws {
    let child = try start(["sh", "-c", "sleep 1000 & echo $!; wait"])
    var bytes = [UInt8](repeating: 0, count: 64)
    var ready = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&ready, 1, 1_000) == 0 {}
    let count = unsafe read(child.output, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let grandchild = try #require(pid_t(text.prefix { $0.isNumber }))
    child.kill()
    #expect(child.exit == .signalled(Int(SIGKILL)))
    // The pipe reaches its end when no process of the group has it open.
    #expect(self.text(child.output).isEmpty)
    #expect(grandchild != child.id)
  }

  @Test("the error for a missing program has its name")
  func missingProgram() throws {
    do throws(ChildProcessError) {
      _ = try start(["/nonexistent/program"])
      Issue.record("a missing program was started")
    } catch {
      guard case .notStarted(let program, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(program == "/nonexistent/program")
    }
  }
}
