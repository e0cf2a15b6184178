import ArgumentParser
import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// `syncd merge-file`: git's merge driver for Org files, for everybody who never runs the daemon.
struct MergeFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-file", abstract: "Merge what two sides made of an Org file, as git's merge drivers do.",
    discussion:
      "The result replaces OURS. Exit status: 0 clean, 1 conflicts are marked in it, 2 trouble and OURS untouched.")

  @Argument(help: "The last version that both sides had.", completion: .file()) var base: String
  @Argument(help: "Our version, which the result replaces.", completion: .file()) var ours: String
  @Argument(help: "Their version.", completion: .file()) var theirs: String
  @Option(help: "The name of the file in its repository, which tells its kind.") var path: String?
  @Flag(help: "Mark conflicts as git does, between lines of seven characters; the result is no valid Org.")
  var conflictMarkers = false
  @Flag(help: "Print the result and leave OURS as it is.") var stdout = false

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
    guard let content = result.content else { throw noText }
    return (content, result.status == .clean)
  }

  private var noText: SyncError {
    SyncError(.pathFailed, "\(path ?? ours) is not text and cannot be merged; our version is left as it is")
  }
}
