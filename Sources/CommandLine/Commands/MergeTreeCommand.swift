import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd merge-tree`: like `merge-file`, for whole folders; it follows entries that moved between files.
struct MergeTreeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-tree", abstract: "Merge a folder of Org files that two sides changed into a new folder.",
    discussion: """
      Follows entries that moved between files. Keeps names, permissions and symbolic links; omits empty folders, as git \
      does. Exit status: 0 clean merge; 1 the result has marked conflicts; 2 error, nothing is written.
      """)

  @Argument(help: "Common ancestor.", completion: .directory) var base: String
  @Argument(help: "Our folder.", completion: .directory) var ours: String
  @Argument(help: "Their folder.", completion: .directory) var theirs: String
  @Argument(help: "Folder for the result; empty or new.", completion: .directory) var out: String

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
