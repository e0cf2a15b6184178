#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processor time of the thread, which other processes do not lengthen.
enum Stopwatch {
  /// The least milliseconds of several runs.
  static func best(of runs: Int = 15, _ work: () -> Int) -> Double {
    (0..<runs).map { _ in once(work) }.min() ?? 0
  }

  /// The milliseconds of one run.
  static func once(_ work: () -> Int) -> Double {
    let start = now
    let result = work()
    let end = now
    precondition(result >= 0)
    return end - start
  }

  /// The largest resident set of the program so far, in MiB; what getrusage(2) says would include that of the program
  /// that started this one.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
  }

  private static var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
