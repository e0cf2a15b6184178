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

  /// The largest resident set of the process so far, in MiB.
  static var peak: Int {
    var usage = rusage()
    _ = unsafe getrusage(0, &usage)
    return usage.ru_maxrss / 1024
  }

  private static var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
