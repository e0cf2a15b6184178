import CPOSIX
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program to run, and what it runs in.
struct Command {
  /// The words of the command line, as bytes, because names are.
  var words: [[UInt8]]
  var environment: [String: String] = Command.environment
  /// Where it starts; the folder of the tests if nil.
  var folder: String?
  /// Whether descriptor 0 is closed, as git does for hooks; else it is empty.
  var closesInput = false

  init(_ words: [String]) { self.words = words.map { Array($0.utf8) } }

  /// The variables that every program gets: nothing of what happens to be set where the tests run.
  static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
    "SWIFT_BACKTRACE": "enable=no",
  ]

  /// Starts it and waits for its end.
  func run() throws -> Outcome { try start().wait() }

  /// Starts it.
  func start() throws -> Running {
    let output = NSTemporaryDirectory() + "syncd-tests-\(UUID().uuidString)"
    var words = self.words
    if let folder { words = bytes(["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder]) + words }
    if closesInput { words = bytes(["/bin/sh", "-c", "exec \"$0\" \"$@\" <&-"]) + words }
    let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
    let id = try spawn(words, variables, output: output)
    return Running(id: id, output: output)
  }

  private func release(_ pointers: [UnsafeMutablePointer<CChar>?]) {
    for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  }

  private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private func spawn(_ words: [[UInt8]], _ variables: [[UInt8]], output: String) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let create = O_WRONLY | O_CREAT | O_TRUNC
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output + ".out", create, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, output + ".err", create, 0o600)
    // Tests run side by side: what another one is writing must not stay open for writing in this program.
    unsafe posix_inherit_nothing(&actions)
    guard let program = words.first else { throw Trouble("nothing to run") }
    var pointers = unsafe words.map { unsafe $0.asPath { unsafe strdup($0) } } + [nil]
    var settings = unsafe variables.map { unsafe $0.asPath { unsafe strdup($0) } } + [nil]
    defer { unsafe release(pointers + settings) }
    var id: pid_t = 0
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    try obeySignals(&attributes)
    let error = unsafe program.asPath { unsafe posix_spawnp(&id, $0, &actions, &attributes, &pointers, &settings) }
    guard error == 0 else { throw Trouble("cannot start \(Names.text(program)): \(error)") }
    return id
  }

  /// A shell that runs the tests in the background ignores SIGINT, and so would what they start.
  private func obeySignals(_ attributes: inout posix_spawnattr_t) throws {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    let isSet =
      unsafe posix_spawnattr_setsigdefault(&attributes, &signals) == 0
      && posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF)) == 0
    if !isSet { throw Trouble("signals cannot be set for a new program") }
  }
}

/// A program that was started.
struct Running {
  let id: pid_t
  fileprivate let output: String

  /// What it has printed so far.
  var text: String {
    FileManager.default.contents(atPath: output + ".out").map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  func kill(_ signal: Int32 = SIGKILL) { _ = send(signal, to: id) }

  /// Waits for its end.
  ///
  /// - Parameter isMeasured: whether to watch its memory meanwhile. What the kernel tells afterwards would count the memory
  ///   of the tests, too, from which it was started.
  func wait(isMeasured: Bool = false) throws -> Outcome {
    var status: Int32 = 0
    var peak = 0
    while true {
      let answer = unsafe waitpid(id, &status, isMeasured ? WNOHANG : 0)
      if answer == id { break }
      guard answer == 0 || errno == EINTR else { throw Trouble("waitpid: \(errno)") }
      peak = max(peak, peakMemory ?? 0)
      usleep(2_000)
    }
    defer { for ending in [".out", ".err"] { unsafe unlink(output + ending) } }
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
      out: FileManager.default.contents(atPath: output + ".out") ?? Data(),
      err: String(decoding: FileManager.default.contents(atPath: output + ".err") ?? Data(), as: UTF8.self),
      peakMemory: peak)
  }
}

/// How a program ended.
struct Outcome {
  /// The exit status, or 128 and the signal.
  var status: Int32
  /// What it printed.
  var out: Data
  var err: String
  /// In bytes; 0 if it was not measured.
  var peakMemory: Int

  var text: String { String(decoding: out, as: UTF8.self) }

  /// Everything, for the message of a test that fails.
  var story: String { "exit \(status)\n--- out\n\(text)\n--- err\n\(err)" }

  /// The document on standard output.
  func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
    do { return try JSONDecoder().decode(type, from: out) } catch { throw Trouble("\(error)\n\(story)") }
  }
}

extension Running {
  /// The most memory that it has had by now, in bytes.
  private var peakMemory: Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return Int(line.filter(\.isNumber)).map { $0 << 10 }
  }
}

/// kill(2), which a method hides.
private func send(_ signal: Int32, to id: pid_t) -> Int32 { kill(id, signal) }

/// What stopped a test.
struct Trouble: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
