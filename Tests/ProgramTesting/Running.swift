public import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that was started.
public struct Running: Sendable {
  public let id: pid_t
  let output: String

  /// Standard output so far, as text.
  public var text: String { String(decoding: content(".out"), as: UTF8.self) }

  /// Its error output so far.
  public var errors: String { String(decoding: content(".err"), as: UTF8.self) }

  private func content(_ ending: String) -> Data { FileManager.default.contents(atPath: output + ending) ?? Data() }

  /// Removes the files that hold its output.
  public func removeOutput() { for ending in [".out", ".err"] { unsafe unlink(output + ending) } }

  /// Sends a signal to the program. Does nothing if it has ended.
  public func kill(_ signal: Int32 = SIGKILL) { _ = send(signal, to: id) }

  /// Waits for the program to end.
  ///
  /// - Parameter isMeasured: True to sample its memory while it runs. The kernel's result at the end would include the memory
  ///   of the tests, from which it was forked.
  public func wait(isMeasured: Bool = false) throws -> Outcome {
    var status: Int32 = 0
    var peak = 0
    while true {
      let answer = unsafe waitpid(id, &status, isMeasured ? WNOHANG : 0)
      if answer == id { break }
      guard answer == 0 || errno == EINTR else { throw TestFailure("waitpid: \(errno)") }
      peak = max(peak, peakMemory ?? 0)
      usleep(2_000)
    }
    defer { removeOutput() }
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
      out: content(".out"), err: errors, peakMemory: peak)
  }
}

/// The result of a program.
public struct Outcome: Sendable {
  /// The exit status, or 128 and the signal.
  public var status: Int32
  /// The standard output.
  public var out: Data
  /// The text of standard error.
  public var err: String
  /// The peak memory in bytes; 0 if it was not measured.
  public var peakMemory: Int

  public var text: String { String(decoding: out, as: UTF8.self) }

  /// The whole result, for the message of a failing test.
  public var story: String { "exit \(status)\n--- out\n\(text)\n--- err\n\(err)" }

  /// Decodes standard output as a JSON document.
  public func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
    do { return try JSONDecoder().decode(type, from: out) } catch { throw TestFailure("\(error)\n\(story)") }
  }
}

extension Running {
  /// The processor time so far, in seconds (proc(5)).
  public func processorTime() throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ").compactMap { Int($0) } ?? []
    // A letter and ten numbers follow the name.
    guard fields.count > 11 else { throw TestFailure("/proc/\(id)/stat says \(text)") }
    return Double(fields[10] + fields[11]) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The peak memory so far, in bytes.
  private var peakMemory: Int? { memory("VmHWM:") }

  /// The present memory in bytes.
  public var memory: Int? { memory("VmRSS:") }

  private func memory(_ field: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) })
    else { return nil }
    return Int(line.filter(\.isNumber)).map { $0 << 10 }
  }
}

/// kill(2), which a method shadows.
private func send(_ signal: Int32, to id: pid_t) -> Int32 { kill(id, signal) }
