import ArchiveSQLite
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Another program that syncs a folder, recognized by the files that it keeps there.
package struct ForeignSync: Hashable, Sendable {
  /// The name of the program.
  package let program: String
  /// The folder that it syncs: the store, or a folder above it.
  package let folder: String

  /// Returns the programs that sync the folder at `path`, by name.
  package static func all(above path: String) -> [ForeignSync] {
    var programs: [String: String] = [:]
    for folder in folders(from: path) {
      // A folder that cannot be listed has no marks that could be found.
      for name in (try? StateFile.names(in: folder)) ?? [] where name.utf8.first == UInt8(ascii: ".") {
        if let program = program(of: name, in: folder) { programs[program] = folder }
      }
    }
    if path.contains("/Library/Mobile Documents/") { programs["iCloud Drive"] = path }
    return programs.map { ForeignSync(program: $0.key, folder: $0.value) }.sorted { $0.program < $1.program }
  }

  /// A sentence for people.
  package var notice: String {
    "\(program) also syncs \(folder). Use only one of them between the same devices. `syncd conflicts --foreign` lists the "
      + "conflict copies that it leaves"
  }

  private static func program(of name: String, in folder: String) -> String? {
    switch name {
    case ".stfolder": "Syncthing"
    case ".dropbox.cache": "Dropbox"
    // The home folder of its users has a folder of this name.
    case ".dropbox": isFile(folder + "/" + name) ? "Dropbox" : nil
    case ".nextcloudsync.log": "Nextcloud"
    case ".owncloudsync.log": "ownCloud"
    default: isDatabase(name) ? "Nextcloud or ownCloud" : nil
    }
  }

  /// Returns true for `.sync_0123abcd.db` and `._sync_0123abcd.db`.
  private static func isDatabase(_ name: String) -> Bool {
    guard let prefix = [".sync_", "._sync_"].first(where: name.hasPrefix), name.hasSuffix(".db") else { return false }
    let digits = name.dropFirst(prefix.count).dropLast(3)
    return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the folder and those above it.
  private static func folders(from path: String) -> [String] {
    var folders: [String] = []
    var folder = path
    while folder.count > 1, folder.hasPrefix("/") {
      folders.append(folder)
      folder = StateFile.folder(of: folder)
    }
    return folders
  }
}

extension Workspace {
  private static let noticedKey = "foreign-sync"

  /// Returns the programs that sync the store, too, and were not returned before; a read-only workspace does not record them.
  /// Returns none if the archive fails: the passes report that.
  package func newForeignSyncs() async -> [ForeignSync] { (try? await unrecordedForeignSyncs()) ?? [] }

  private func unrecordedForeignSyncs() async throws(SyncError) -> [ForeignSync] {
    let found = configuration.store.root.map { ForeignSync.all(above: FolderNames.resolved($0)) } ?? []
    let journal = archive.journal(of: StoreEdit.name)
    let record = try await journal.records()[Self.noticedKey].map { String(decoding: $0, as: UTF8.self) }
    let present = found.map(\.program).joined(separator: "\n")
    guard present != record ?? "" else { return [] }
    try await journal.write([Self.noticedKey: found.isEmpty ? nil : Array(present.utf8)])
    let known = (record ?? "").split(separator: "\n")
    return found.filter { !known.contains($0.program[...]) }
  }
}
