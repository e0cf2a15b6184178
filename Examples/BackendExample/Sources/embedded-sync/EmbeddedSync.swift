import ArchiveSQLite
import CloudFolder
import OrgMerging
import StoreOrgFiles
import SyncKit

/// Syncs the Org files of one folder with another folder: `embedded-sync STORE REMOTE STATE`, three absolute paths.
@main struct EmbeddedSync {
  static func main() async throws {
    let folders = Array(CommandLine.arguments.dropFirst())
    guard folders.count == 3 else { fatalError("usage: embedded-sync STORE REMOTE STATE") }

    let archive = try SQLiteArchive.open(in: folders[2]).get()
    var options = SyncSession.Options()
    options.exclude = ["*.pdf"]
    let session = SyncSession(
      archive: archive, merger: OrgMerger(), device: Device(id: "kx3v9q0r2m1n", name: "laptop"), options: options,
      store: { parts throws(SyncError) in try await OrgFiles(path: folders[0]).open(parts) },
      remotes: [
        .init("mirror") { parts throws(SyncError) in
          StorageReplica(try await Folder(path: folders[1], create: true).open(parts), parts)
        }
      ])
    let reports = await session.run { progress in
      if let path = progress.path { print("\(progress.stage) \(progress.done) of \(progress.total): \(path)") }
    }
    for report in reports { print("\(report.remote): \(report.failure?.message ?? "\(report.result)")") }
    try await archive.close()
  }
}
