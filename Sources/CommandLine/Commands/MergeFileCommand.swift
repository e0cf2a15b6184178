import ArgumentParser
import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// `syncd merge-file`: git's merge driver for Org files; it uses neither settings nor the service.
struct MergeFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-file", abstract: "Merge an Org file that two sides changed, as a git merge driver.",
    discussion:
      "The result replaces OURS. Exit status: 0 clean merge; 1 the result has marked conflicts; 2 error, OURS is unchanged."
  )

  @Argument(help: "Common ancestor.", completion: .file()) var base: String
  @Argument(help: "Our version; the result replaces it.", completion: .file()) var ours: String
  @Argument(help: "Their version.", completion: .file()) var theirs: String
  @Option(help: "Name of the file in its repository, which decides how to merge it.") var path: String?
  @Flag(help: "Write git's conflict markers instead of Org entries; the result is not valid Org.")
  var conflictMarkers = false
  @Flag(help: "Print the result instead of replacing OURS.") var stdout = false

  func run() async throws {
    do throws(SyncError) {
      let versions = (
        base: try LocalFile.read(base), ours: try LocalFile.read(ours), theirs: try LocalFile.read(theirs)
      )
      let (content, isClean) = try merge(versions)
      if stdout { Console.print(bytes: content) } else { try LocalFile.write(content, to: ours) }
      if isClean { return }
    } catch {
      Console.error("syncd merge-file: \(error.message)")
      throw ExitCode(2)
    }
    throw ExitCode(1)
  }

  private func merge(
    _ versions: (base: [UInt8], ours: [UInt8], theirs: [UInt8])
  ) throws(SyncError) -> (content: [UInt8], isClean: Bool) {
    let labels = LineMerge.Labels(ours: ours, base: base, theirs: theirs)
    if versions.ours == versions.theirs || versions.theirs == versions.base { return (versions.ours, true) }
    if versions.ours == versions.base { return (versions.theirs, true) }
    guard ![versions.base, versions.ours, versions.theirs].contains(where: OrgMerge.isBinary) else { throw noText }
    guard OrgMerger.isOrg(Array((path ?? ours).utf8)) || path == nil else {
      let merge = LineMerge(base: versions.base, ours: versions.ours, theirs: versions.theirs)
      return (merge.content ?? merge.marked(with: labels), merge.isClean)
    }
    var options = OrgMerge.Options()
    if conflictMarkers { options.style = .markers(labels) }
    let result = OrgMerge.merge(base: versions.base, ours: versions.ours, theirs: versions.theirs, options: options)
    guard let content = result.content else { throw unproved }
    return (content, result.status == .clean)
  }

  private var noText: SyncError {
    SyncError(.pathFailed, "cannot merge \(path ?? ours): it is not text; our version is unchanged")
  }

  private var unproved: SyncError {
    SyncError(
      .pathFailed,
      "cannot merge \(path ?? ours): no merged file has the changes of both sides for certain; our version is unchanged; merge it "
        + "by hand")
  }
}
