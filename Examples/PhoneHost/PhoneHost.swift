import ArchiveSQLite
import CloudGitHub
import OrgKit
import OrgMerging
import StoreSQLite
import SyncKit

/// An app without a folder: it syncs its store with a branch on GitHub, finishes a task, and syncs again.
/// `phone-host STATE REPOSITORY TOKEN API TASK`: a folder for the app's state, `OWNER/NAME`, a token, the API's address, a title.
@main struct PhoneHost {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 6 else { fatalError("usage: phone-host STATE REPOSITORY TOKEN API TASK") }
    let store = SQLiteStore(path: "\(words[1])/org.sqlite")
    var settings = GitHub.Settings()
    (settings.repository, settings.token, settings.apiUrl) = (words[2], Secret(words[3]), URLText(words[4]))
    let github = GitHub(
      settings, PluginContext(table: "remotes.github", environment: SettingsEnvironment(folder: words[1])))

    let archive = try SQLiteArchive.open(in: words[1]).get()
    let device = Device(id: "p7c4x0t9w2k1", name: "phone")
    let session = SyncSession(
      archive: archive, merger: OrgMerger(), device: device, options: SyncSession.Options(),
      store: { parts throws(SyncError) in try await store.open(parts) },
      remotes: [
        .init("github") { parts throws(SyncError) in StorageReplica(try await github.open(parts), parts) }
      ])
    for report in await session.run() { print("\(report.remote): \(report.failure?.message ?? "\(report.result)")") }

    let inbox = SyncPath("inbox.org")!
    let parts = RemoteParts(
      name: "store", device: device, runtime: .real, contents: archive, journal: archive.journal(of: "store"))
    let replica = try await store.open(parts)
    let sink = MemorySink(limit: 1 << 20)
    guard case .read(let entry) = try await replica.read(file: inbox, into: sink) else { fatalError("no inbox") }
    var files = OrgFileSet(["inbox.org": sink.bytes])
    let context = OrgContext(now: OrgZone.utc.moment(at: Int(Runtime.real.now().seconds))) { "id" }
    _ = try apply(.todo(.state("DONE")), to: OrgPlace(file: "inbox.org", entry: .path([words[5]])), in: &files, context)
    let result = try await replica.write(Content(files["inbox.org"] ?? []), to: inbox, if: .unchanged(entry.revision))
    print("wrote the inbox: \(result)")

    for report in await session.run() { print("\(report.remote): \(report.failure?.message ?? "\(report.result)")") }
    try await archive.close()
  }
}
