import Dispatch
import Foundation
import SyncKitTesting
import Synchronization

/// Runs simulated histories in an optimized program: `Histories engine|commands|mesh FIRST COUNT`.
///
/// Prints each history that breaks a promise, with the fewest steps that break it, and the sum. The exit status is 1 if there is one, 2 if the
/// arguments are wrong.
@main
enum Main {
  private static let batchSize: UInt64 = 250
  private static let all = Mutex(Count())

  /// Runs the history of a seed; throws how it breaks a promise.
  private typealias Run = @Sendable (UInt64) throws -> Void

  private struct Count {
    var total = 0
    var broken = 0
  }

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.dropFirst().compactMap { UInt64($0) }
    guard let run = arguments.first.flatMap(kind), numbers.count == 2, arguments.count == 3 else {
      say("usage: Histories engine|commands|mesh FIRST COUNT")
      exit(2)
    }
    let (first, count) = (numbers[0], numbers[1])
    let starts = Array(stride(from: first, to: first + count, by: Int(batchSize)))
    DispatchQueue.concurrentPerform(iterations: starts.count) { batch in
      carryOut(starts[batch]..<min(first + count, starts[batch] + batchSize), run)
    }
    let sum = all.withLock { $0 }
    // The test script looks for a line like this.
    let mark = sum.broken == 0 ? "✔" : "✘"
    say("\(mark) Test run with \(sum.total) tests: \(sum.broken) broken; seeds \(first)..<\(first + count)")
    exit(sum.broken == 0 ? 0 : 1)
  }

  private static func kind(_ name: String) -> Run? {
    switch name {
    case "engine": { try Simulation(seed: $0, hasCommands: false).run() }
    case "commands": { try Simulation(seed: $0).run() }
    case "mesh": { try MeshSimulation(seed: $0).run() }
    default: nil
    }
  }

  private static func carryOut(_ seeds: Range<UInt64>, _ run: Run) {
    var count = Count()
    for seed in seeds {
      count.total += 1
      do { try run(seed) } catch {
        count.broken += 1
        say("error: seed \(seed): \(error)")
      }
    }
    let sum = all.withLock { all in
      all.total += count.total
      all.broken += count.broken
      return all
    }
    if (sum.total / Int(batchSize)).isMultiple(of: 40) { say("so far \(sum.total), broken \(sum.broken)") }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
