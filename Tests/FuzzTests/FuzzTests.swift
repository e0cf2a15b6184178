import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Hostile inputs for each parser. A trap ends the tests; the file `syncd-fuzz-NAME` in the folder for temporary files then
/// contains the number of the input.
@Suite("Hostile input for the parsers") struct FuzzTests {
  /// The number of inputs per parser in the normal run.
  private static let rounds: UInt64 = 300
  /// The processor time per parser of `make soak`, in seconds.
  private static let seconds = Double(ProcessInfo.processInfo.environment["SYNCD_FUZZ_SECONDS"] ?? "") ?? 600
  /// The number of the first input.
  private static let first = UInt64(ProcessInfo.processInfo.environment["SYNCD_FUZZ_FIRST"] ?? "") ?? 1

  @Test("every parser accepts or refuses mutated input without a crash", arguments: FuzzTarget.all)
  func parser(target: FuzzTarget) throws {
    let corpus = try target.corpus()
    try #require(!corpus.isEmpty)
    for input in corpus { try target.parse(input) }
    let mutator = Mutator(corpus: corpus, tokens: target.tokens)
    let record = try Record(target.name)
    let start = Self.processorTime
    var number = Self.first
    while isSoak ? Self.processorTime - start < Self.seconds : number < Self.first + Self.rounds {
      record.write(number)
      try target.parse(mutator.input(number))
      number += 1
    }
    if isSoak { print("\(target.name): inputs \(Self.first) to \(number - 1), \(Self.processorTime - start) s") }
  }

  /// The processor time of this thread in seconds.
  private static var processorTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The file with the number of the current input.
  private final class Record {
    private let descriptor: CInt

    init(_ name: String) throws {
      descriptor = unsafe open(NSTemporaryDirectory() + "syncd-fuzz-\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw TestFailure("cannot record the number of the input: error \(errno)") }
    }

    deinit { close(descriptor) }

    func write(_ number: UInt64) {
      let text = Array("\(number)\n".utf8)
      _ = unsafe pwrite(descriptor, text, text.count, 0)
    }
  }
}
