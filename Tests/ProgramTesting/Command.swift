import CPOSIX
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program to run, with its arguments and environment.
///
/// It does not use Foundation's `Process`: tests run concurrently, and descriptors of one test must not be inherited by
/// another's program; also, some in a thousand of its programs are never reported as ended while others are started.
public struct Command: Sendable {
  /// The command line as bytes, because names are bytes. The program is looked up in `PATH`.
  public var words: [[UInt8]]
  /// The environment variables of the program; by default those of every test program.
  public var environment: [String: String] = Command.environment
  /// The working directory; the folder of the tests if nil.
  public var folder: String?
  /// The descriptor of standard input; empty input if nil.
  public var input: CInt?
  /// True if descriptor 0 is closed, as git does for hooks.
  public var closesInput = false

  public init(_ words: [String]) { self.words = words.map { Array($0.utf8) } }

  /// The variables of every program, independent of the environment of the tests.
  public static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
    "SWIFT_BACKTRACE": "enable=no",
  ]

  /// Starts it and waits until it ends, with any status.
  public func run() throws -> Outcome { try start().wait() }

  /// Starts it, waits until it ends, and requires success.
  @discardableResult
  public func succeed() throws -> Outcome {
    let outcome = try run()
    guard outcome.status == 0 else {
      throw TestFailure("\(words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")): \(outcome.story)")
    }
    return outcome
  }

  /// Like `run`, without blocking one of the few threads that all tests share.
  public func finish() async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try run() }) }
    }
  }

  /// Starts it.
  public func start() throws -> Running {
    let output = NSTemporaryDirectory() + "syncd-tests-\(UUID().uuidString)"
    var words = self.words
    if let folder { words = bytes(["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder]) + words }
    if closesInput { words = bytes(["/bin/sh", "-c", "exec \"$0\" \"$@\" <&-"]) + words }
    let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
    let id = try Self.starting.withLock { _ in try spawn(words, variables, output: output) }
    return Running(id: id, output: output)
  }

  /// Held while a program is started.
  private static let starting = Mutex(())

  /// Waits until the programs that other tests are starting run. Until then they have copies of all descriptors of this process, also of
  /// those that were closed meanwhile: a removed file still needs its space, and a file counts as open for writing.
  public static func finishStarting() { starting.withLock { _ in } }

  private func release(_ pointers: [UnsafeMutablePointer<CChar>?]) {
    for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  }

  private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private func spawn(_ words: [[UInt8]], _ variables: [[UInt8]], output: String) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let create = O_WRONLY | O_CREAT | O_TRUNC
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output + ".out", create, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, output + ".err", create, 0o600)
    // Tests run concurrently: a file that another test is writing must not stay open in this program.
    unsafe posix_inherit_nothing(&actions)
    guard let program = words.first else { throw TestFailure("nothing to run") }
    var pointers = unsafe words.map { unsafe $0.asPath { unsafe strdup($0) } } + [nil]
    var settings = unsafe variables.map { unsafe $0.asPath { unsafe strdup($0) } } + [nil]
    defer { unsafe release(pointers + settings) }
    var id: pid_t = 0
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    try obeySignals(&attributes)
    let error = unsafe program.asPath { unsafe posix_spawnp(&id, $0, &actions, &attributes, &pointers, &settings) }
    guard error == 0 else { throw TestFailure("cannot start \(String(decoding: program, as: UTF8.self)): \(error)") }
    return id
  }

  /// A shell that runs the tests in the background ignores SIGINT, and a thread of Dispatch blocks most signals; the program
  /// would inherit both, and SIGTERM would not end it.
  private func obeySignals(_ attributes: inout posix_spawnattr_t) throws {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    let isSet =
      unsafe posix_spawnattr_setsigdefault(&attributes, &signals) == 0
      && posix_spawnattr_setsigmask(&attributes, &blocked) == 0
      && posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)) == 0
    if !isSet { throw TestFailure("signals cannot be set for a new program") }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a path for a system call.
  public func asPath<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
    let path = map(CChar.init(bitPattern:)) + [0]
    return unsafe path.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
  }
}

/// The reason why a test cannot go on.
public struct TestFailure: Error, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}
