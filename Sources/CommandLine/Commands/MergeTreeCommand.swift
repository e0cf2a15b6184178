import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd merge-tree`: the same as `merge-file` for whole folders, where entries that moved between files are followed.
struct MergeTreeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-tree", abstract: "Merge what two sides made of a folder of Org files into a new folder.",
    discussion: """
      Files keep their names byte for byte and their permissions, and links stay links; empty folders are left out, as git \
      does. Exit status: 0 clean, 1 conflicts are marked in the result, 2 trouble and nothing is written.
      """)

  @Argument(help: "The folder as both sides last had it.", completion: .directory) var base: String
  @Argument(help: "Our folder.", completion: .directory) var ours: String
  @Argument(help: "Their folder.", completion: .directory) var theirs: String
  @Argument(help: "Where the result goes: a folder that is empty or not there yet.", completion: .directory) var out:
    String

  func run() async throws {
    do throws(SyncError) {
      let (base, ours, theirs) = (try LocalFolder(base), try LocalFolder(ours), try LocalFolder(theirs))
      let result = OrgMerge.merge(base: base.files, ours: ours.files, theirs: theirs.files)
      let merged = try LocalFolder(result.files, madeOf: base, ours, theirs)
      try merged.write(to: out)
      if result.isClean { return }
      for path in result.conflicts.sorted() { Console.error("conflict in \(LocalFolder.text(path))") }
    } catch {
      Console.error("syncd merge-tree: \(error.message)")
      throw ExitCode(2)
    }
    throw ExitCode(1)
  }
}
