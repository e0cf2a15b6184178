import Foundation
import ProgramTesting
import Synchronization

/// The plan of a faulty server: see faulty-sftp.py.
final class FaultPlan: Sendable {
  private let scratch = ScratchFolder()
  private let id = Mutex("")
  private var file: String { scratch.path + "/plan" }

  /// The command of a server that follows the plan.
  func command(_ server: String) -> String {
    let script = URL(filePath: #filePath).appending(path: "../faulty-sftp.py").standardizedFileURL.path
    return "python3 \(script) \(file) \(server)"
  }

  /// From now on, requests are only counted.
  func count() throws { try follow("count") }

  /// The number of requests since the plan changed.
  func counted() throws -> Int { try number("count") }

  /// The number of their bytes.
  func countedBytes() throws -> Int { try number("bytes") }

  /// The connection fails at the Nth request.
  func fail(_ mode: String, at place: Int) throws { try follow("\(mode) \(place)") }

  /// True once the plan was carried out.
  var hasFired: Bool { (try? String(contentsOfFile: file, encoding: .utf8)) == id.withLock { $0 } + " fired" }

  /// From now on, requests of this kind are confirmed and not carried out.
  func claim(_ request: String) throws { try follow("claim \(request)") }

  /// Another writer moves the next new version away, and back once it was looked up `looks` times.
  func lookAway(_ looks: Int) throws { try follow("away \(looks)") }

  private func follow(_ plan: String) throws {
    let id = UUID().uuidString
    self.id.withLock { $0 = id }
    try Data("\(id) \(plan)".utf8).write(to: URL(filePath: file), options: .atomic)
  }

  private func number(_ kind: String) throws -> Int {
    let name = "\(file).\(id.withLock { $0 }).\(kind)"
    guard FileManager.default.fileExists(atPath: name) else { return 0 }
    guard let number = Int(try String(contentsOfFile: name, encoding: .utf8)) else {
      throw TestFailure("\(name) has no number")
    }
    return number
  }
}
