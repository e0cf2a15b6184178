import Foundation
import ProgramTesting
import Testing

/// Three hosts of a local network with the real program, judged by a program that shares no code with it.
@Suite("Hosts in a local network", .enabled(if: TorrentProgram.isAvailable))
struct HostsTests {
  @Test("edits, a week away, kills, an empty disk and another secret end as they must")
  func judge() async throws {
    let network = ["unshare", "--net"]
    guard (try? Command(network + ["true"]).run())?.status == 0 else {
      return print("*** SKIPPED: hosts in a local network: this user cannot make network namespaces ***")
    }
    let scratch = ScratchFolder()
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path
    var command = Command(
      network + [
        "python3", folder + "/judge-hosts.py", "--syncd", Command.built("syncd"), "--helper", TorrentProgram.path ?? "",
        "--work", scratch.path, "--files", isSoak ? "2000" : "100", "--kills", isSoak ? "100" : "10",
      ])
    command.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let outcome = try await command.finish()
    print(outcome.text)
    if outcome.status == 3 { return print("*** SKIPPED: hosts in a local network: see above ***") }
    #expect(outcome.status == 0, "\(outcome.story)")
  }
}
