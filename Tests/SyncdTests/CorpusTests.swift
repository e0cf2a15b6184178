import Foundation
import ProgramTesting
import SyncKit
import Testing

/// Real Org files: synced, edited on both sides, merged, and nothing lost. `SYNCD_CORPUS` names the folder.
@Suite struct CorpusTests {
  @Test("real Org files are synced, edited on both sides and merged, and no line is lost")
  func mirror() throws {
    guard let corpus = ProcessInfo.processInfo.environment["SYNCD_CORPUS"] else {
      return skip("SYNCD_CORPUS is not a folder of Org files")
    }
    let sandbox = try Sandbox()
    try sandbox.shell("cp -r '\(corpus)/.' org/ && find org -type l -delete")
    let files = sandbox.store
    let first = try sandbox.once()
    #expect(sandbox.tree("home") == files)
    #expect(first.home.counts.copied == files.names.count { !$0.hasSuffix("~") })
    #expect(try sandbox.once().home.actions.isEmpty)

    // Each file gets a note at its end in the store and one after its first line on the remote.
    var edited: [String] = []
    for (number, name) in files.names.filter({ $0.hasSuffix(".org") && !$0.contains("\\x") }).enumerated()
    where number % 2 == 0 {
      guard let text = files[name], text.hasSuffix("\n"), Data(text.utf8) == files.files[name] else { continue }
      try sandbox.write(text + "* Added in the store \(number)\nWith a line \(number).\n", to: "org/\(name)")
      try sandbox.write("# Added on the remote \(number)\n" + text, to: "home/\(name)")
      edited.append(name)
    }
    let outcome = try sandbox.syncd("--once", "--json")
    #expect([0, 3].contains(outcome.status), "\(outcome.err)")
    let merged = try outcome.json(Report.self).home
    let store = sandbox.store
    #expect(store == sandbox.tree("home"))
    var conflicts = 0
    for name in edited {
      let copies = store.names.filter { $0.hasPrefix((name as NSString).deletingPathExtension + ".conflict-") }
      let live = ([name] + copies).compactMap { store[$0] }.joined()
      if !copies.isEmpty || live.contains(":CONFLICT:") { conflicts += 1 }
      #expect(live.contains("* Added in the store") && live.contains("# Added on the remote"), "\(name)")
      let lines = Set(live.split(separator: "\n").map { $0.filter { $0 != " " } })
      for line in files[name]?.split(separator: "\n") ?? [] {
        #expect(lines.contains(line.filter { $0 != " " }), "\(name): \(line)")
      }
    }
    print(
      "*** \(files.files.count) real files, \(edited.count) edited on both sides: \(merged.counts.merged) merged, \(conflicts) with a conflict ***"
    )
    try sandbox.once(status: outcome.status)
  }
}
