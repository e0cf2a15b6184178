import Programs
import SyncKit
import Synchronization
import Testing

@Suite("Child programs")
struct ProgramTests {
  private let variables = ["PATH": "/usr/bin:/bin", "GREETING": "hello"]

  private func shell(
    _ script: String, patience: Duration = .seconds(60), _ stop: Stop = Stop()
  ) throws(SyncError) -> Program {
    try Program(["sh", "-c", script], variables: variables, patience: patience, stop)
  }

  private func everything(from program: Program) throws(SyncError) -> String {
    String(decoding: try allOutput(of: program), as: UTF8.self)
  }

  private func allOutput(of program: Program) throws(SyncError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = try program.nextOutput()
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  @Test func `a child gets exactly the given variables`() throws {
    let program = try shell("echo $GREETING; env | grep -cvE '^(PATH|GREETING|PWD|SHLVL|_|OLDPWD)='")
    #expect(try everything(from: program) == "hello\n0\n")
  }

  @Test func `a child reads its input and prints at the same time`() throws {
    let program = try Program(["cat"], variables: variables, patience: .seconds(60), Stop())
    let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try program.write(bytes))
    program.endInput()
    #expect(try allOutput(of: program) == bytes)
  }

  @Test(arguments: [0, 3, 255])
  func `a child has an exit status once it has ended`(status: Int) throws {
    let program = try shell("exit \(status)")
    #expect(try everything(from: program).isEmpty)
    program.end(isComplete: true)
    #expect(program.exitStatus == status)
  }

  @Test func `a child that was ended by a signal has no exit status`() throws {
    let program = try shell("kill -9 $$")
    #expect(try everything(from: program).isEmpty)
    program.end(isComplete: true)
    #expect(program.exitStatus == nil)
  }

  @Test func `a child's standard error lines are kept for messages`() throws {
    let program = try shell("echo first >&2; echo '@@@@' >&2; echo ' second' >&2")
    #expect(try everything(from: program).isEmpty)
    #expect(program.errorSummary == "first / second")
  }

  @Test func `a program that does not exist is a mistake in the settings`() {
    do throws(SyncError) {
      _ = try Program(["no-such-program"], variables: variables, patience: .seconds(60), Stop())
      Issue.record("it was started")
    } catch { #expect(error.code == .invalidSettings && error.message.contains("no-such-program")) }
  }

  @Test func `a silent child is abandoned after its timeout`() throws {
    let program = try shell("exec sleep infinity", patience: .milliseconds(50))
    do throws(SyncError) {
      _ = try program.nextOutput()
      Issue.record("it printed something")
    } catch { #expect(error.code == .unavailable) }
    program.end(isComplete: false)
  }

  @Test func `a stop request ends the wait for a child`() throws {
    let stop = Stop()
    let program = try shell("echo ready; exec sleep infinity", stop)
    #expect(try program.nextOutput() == Array("ready\n".utf8))
    stop.ask()
    do throws(SyncError) {
      _ = try program.nextOutput()
      Issue.record("it printed something")
    } catch { #expect(error.code == .cancelled) }
    program.end(isComplete: true)
    #expect(program.exitStatus == nil)
  }

  @Test func `a child is not started after a stop request`() {
    let stop = Stop()
    stop.ask()
    do throws(SyncError) {
      _ = try shell("exit 0", stop)
      Issue.record("it was started")
    } catch { #expect(error.code == .cancelled) }
  }
}

@Suite("A program that is run to its end")
struct RunTests {
  @Test func `a finished program returns its output, exit status and standard error`() throws {
    let output = try Program.run(
      ["sh", "-c", "cat; echo wrong >&2; exit 4"], variables: ["PATH": "/usr/bin:/bin"], input: Array("text".utf8),
      patience: .seconds(60), Stop())
    #expect(output.bytes == Array("text".utf8) && output.status == 4 && output.errorText == "wrong")
  }

  @Test func `a program returns output up to the limit`() {
    // This program never ends by itself, so its end costs the whole patience. On a busy machine, its beginning may cost more.
    var (patience, output) = (Duration.milliseconds(50), Program.Output?.none)
    while output == nil, patience < .seconds(600) {
      output = try? Program.run(
        ["sh", "-c", "yes"], variables: ["PATH": "/usr/bin:/bin"], limit: 10, patience: patience, Stop())
      patience = patience * 2
    }
    #expect(output?.bytes == Array("y\ny\ny\ny\ny\n".utf8))
  }
}

@Suite("A worker")
struct WorkerTests {
  /// An actor whose methods may block.
  private actor Ledger {
    private nonisolated let worker = Worker("ledger")
    private(set) var lines: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

    func add(_ line: Int) { lines.append(line) }
  }

  @Test func `a worker runs the jobs of its actor one at a time and loses none`() async {
    let ledger = Ledger()
    await withTaskGroup(of: Void.self) { group in
      for line in 0..<1_000 { group.addTask { await ledger.add(line) } }
    }
    #expect(await ledger.lines.sorted() == Array(0..<1_000))
  }
}
