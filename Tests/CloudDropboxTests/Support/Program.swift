import CPOSIX
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that was built with the tests, or is installed; what it prints can be read while it runs, and it can be typed
/// to. It ends with its owner.
final class Program: Sendable {
  private let id: pid_t
  private let output = NSTemporaryDirectory() + "program-\(UUID().uuidString)"
  private let input: CInt
  private let status = Mutex<Int32?>(nil)

  /// Where the programs are that were built with the tests.
  static func built(_ name: String) -> String {
    var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: name).path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    return name
  }

  init(_ path: String, _ words: [String], environment: [String: String] = [:]) throws {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Trouble("no pipe for \(path)") }
    defer { close(ends[0]) }
    input = ends[1]
    _ = fcntl(input, F_SETFD, FD_CLOEXEC)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    id = try Self.spawn([path] + words, variables, input: ends[0], output: output)
  }

  deinit {
    if status.withLock({ $0 }) == nil {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    close(input)
    unsafe unlink(output)
  }

  /// Not by Foundation's `Process`: tests run side by side, and what one has open must not stay open in another's program.
  private static func spawn(
    _ words: [String], _ variables: [String], input: CInt, output: String
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    unsafe posix_inherit_nothing(&actions)
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    var settings = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe release(pointers + settings) }
    var id: pid_t = 0
    let error = unsafe posix_spawnp(&id, words[0], &actions, nil, &pointers, &settings)
    guard error == 0 else { throw Trouble("cannot start \(words[0]): \(error)") }
    return id
  }

  private static func release(_ pointers: [UnsafeMutablePointer<CChar>?]) {
    for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  }

  /// What it has printed so far, on both of its outputs.
  var text: String { String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self) }

  func type(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
  }

  func end(by signal: Int32 = SIGTERM) { kill(id, signal) }

  /// Waits until it prints something of this form, and gives that.
  func wait(for pattern: Regex<(Substring, Substring)>) async throws -> String {
    for _ in 0..<6_000 {
      let hasEnded = exitStatus() != nil
      if let match = try pattern.firstMatch(in: text) { return String(match.1) }
      guard !hasEnded else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("the program did not say what was waited for, but:\n\(text)")
  }

  /// Waits for its end; gives its status.
  func wait() async throws -> Int32 {
    for _ in 0..<18_000 {
      if let status = exitStatus() { return status }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("the program did not come to an end:\n\(text)")
  }

  private func exitStatus() -> Int32? {
    status.withLock { status in
      var word: CInt = 0
      if status == nil, unsafe waitpid(id, &word, WNOHANG) == id {
        status = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
      }
      return status
    }
  }
}
