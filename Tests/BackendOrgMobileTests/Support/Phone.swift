import BackendOrgMobile
import CipherOrgMobile
import CloudFolder
import OrgKit
import ProgramTesting
import SyncKit
import SyncKitTesting

/// A device with a store and an archive in memory, whose remote is a staging area.
final class Phone: Sendable {
  let store: MemoryReplica
  let archive: MemoryArchive
  let name: String
  private let staging: String
  private let role: OrgMobile.Role
  private let removal: OrgMobile.Removal
  private let password: String?
  private let life: Life?
  private let agendas: [AgendaView]
  private let runtime: Runtime

  init(
    _ name: String = "phone", at staging: String, role: OrgMobile.Role = .mobile,
    removal: OrgMobile.Removal = .archive, password: String? = nil,
    life: Life? = nil, store: MemoryReplica = MemoryReplica(address: "store", identity: "disk"),
    archive: MemoryArchive = MemoryArchive(), agendas: [AgendaView] = [.days(7), .todo], runtime: Runtime = .real
  ) {
    (self.store, self.archive) = (store, archive)
    self.name = name
    self.staging = staging
    self.role = role
    self.removal = removal
    self.password = password
    self.life = life
    (self.agendas, self.runtime) = (agendas, runtime)
  }

  /// The same device in another process: everything in memory is lost.
  func reborn(_ life: Life? = nil, agendas: [AgendaView]? = nil, runtime: Runtime? = nil) -> Phone {
    Phone(
      name, at: staging, role: role, removal: removal, password: password, life: life, store: store, archive: archive,
      agendas: agendas ?? self.agendas, runtime: runtime ?? self.runtime)
  }

  private var context: PluginContext {
    PluginContext(table: "remotes.emacs", environment: SettingsEnvironment(folder: "/"))
  }

  /// The remote as the program opens it.
  func remote() async throws -> any Replica {
    var parts = RemoteParts(
      name: "emacs", device: Device(id: name, name: name), runtime: runtime, contents: archive,
      journal: archive.journal(of: "emacs"))
    var folder = CloudFolder.Folder.Settings()
    folder.path = SettingPath(stringLiteral: staging)
    folder.create = true
    let storage = try await CloudFolder.Folder(folder, context).open(parts)
    parts.storage = life.map { MortalStorage(storage: storage, life: $0) } ?? storage
    if let life { parts.journal = MortalJournal(journal: parts.journal, life: life) }
    if let password {
      var settings = OpenSSL.Settings()
      settings.password = Secret(password)
      parts.cipher = try await OpenSSL(settings, context).open(parts)
    }
    var settings = OrgMobile.Settings()
    settings.role = role
    settings.removal = removal
    settings.agendas = agendas
    return try await OrgMobile(settings, context).open(parts)
  }

  /// Runs like `syncd --once`.
  @discardableResult
  func sync() async throws -> PassReport {
    let pass = PassParts(
      name: "emacs", local: store, remote: try await remote(), archive: archive, merger: EntryMerger(),
      device: Device(id: name, name: name))
    return await SyncRun([pass]).run()[0]
  }

  func write(_ text: String, to name: String) async throws {
    guard let path = SyncPath(name) else { throw TestFailure("\(name) is not a path") }
    await store.put(Content(Array(text.utf8)), at: path)
  }

  func remove(_ name: String) async throws {
    guard let path = SyncPath(name) else { throw TestFailure("\(name) is not a path") }
    await store.take(path)
  }

  func text(_ name: String) async throws -> String {
    let contents = await store.contents
    guard let path = SyncPath(name), let content = contents[path] else { throw TestFailure("the store has no \(name)") }
    return String(decoding: try await content.bytes(), as: UTF8.self)
  }

  /// Changes a file of the store, like a program that knows Org.
  func edit(_ name: String, _ change: (inout OrgDocument) throws -> Void) async throws {
    var document = OrgDocument(try await text(name))
    try change(&document)
    try await write(document.text, to: name)
  }

  var names: [String] {
    get async { await store.contents.keys.map(\.description).sorted() }
  }
}

/// Merges Org files like the program does.
struct EntryMerger: ContentMerger {
  func merges(_ path: SyncPath, size: Int) -> Bool { path.description.hasSuffix(".org") }

  func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    var results: [SyncPath: MergeResult] = [:]
    for file in files {
      guard let local = file.local, let remote = file.remote else { continue }
      let result = OrgMerge.merge(base: file.base, ours: local, theirs: remote)
      results[file.path] = result.content.map { result.status == .conflict ? .marked($0) : .clean($0) } ?? .sideBySide()
    }
    return results
  }

  func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? {
    String(decoding: text, as: UTF8.self).contains(":CONFLICT:")
  }
}

extension OrgDocument {
  /// The index of the entry with this title.
  func place(_ title: String) throws -> OrgEntry.Index {
    guard let entry = entries.first(where: { $0.title == title }) else {
      throw TestFailure("the entry \(title) is missing")
    }
    return entry.index
  }
}
