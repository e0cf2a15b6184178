import SyncDaemon
import SyncKit

/// The kind of a remote: a sync backend, a cloud storage if the backend needs one, and the encryption of the files.
struct RemoteKind {
  /// `webdav` for plain files on a WebDAV server, `git` for a backend without a cloud storage, `org-mobile/webdav` for other
  /// combinations.
  let id: String
  let summary: String
  let sync: any SyncBackend.Type
  let cloud: (any CloudStorage.Type)?
  /// The encryption of the files; nil for none.
  var encryption: (any EncryptionBackend.Type)?

  /// The backend that is omitted from names, because only the location of the files matters.
  private static let plainFiles = "plain-files"

  /// The order of the places in lists, by how often people have them. Places of other packages follow.
  private static let order = ["folder", "webdav", "dropbox", "git", "rsync-ssh"]

  /// The places that this system cannot reach, and that are therefore not offered.
  private static var unreachable: Set<String> {
    #if os(macOS)
      []
    #else
      ["icloud"]
    #endif
  }

  /// Returns all combinations of the plugins that this system can use, those that need no explanation first.
  static func all(of registry: Registry) -> [RemoteKind] {
    let clouds = registry.plugins(.cloud).compactMap { $0 as? any CloudStorage.Type }
      .filter { !unreachable.contains($0.id) }.sorted { rank($0.id) < rank($1.id) }
    let syncs = registry.plugins(.sync).compactMap { $0 as? any SyncBackend.Type }
    // A cloud storage with its own sync backend needs no second name.
    let own = Set(syncs.filter { !$0.usesStorage }.map { $0.id })
    let plain = syncs.filter { $0.id == plainFiles }.flatMap { sync in
      clouds.filter { !own.contains($0.id) }.map { RemoteKind(id: $0.id, summary: $0.summary, sync: sync, cloud: $0) }
    }
    let placeless = syncs.filter { !$0.usesStorage }.map {
      RemoteKind(id: $0.id, summary: $0.summary, sync: $0, cloud: nil)
    }
    let others = syncs.filter { $0.usesStorage && $0.id != plainFiles }.flatMap { sync in
      clouds.map { RemoteKind(id: "\(sync.id)/\($0.id)", summary: sync.summary, sync: sync, cloud: $0) }
    }
    return (plain + placeless).sorted { rank($0.id) < rank($1.id) } + others
  }

  private static func rank(_ id: String) -> Int { order.firstIndex(of: id) ?? order.endIndex }

  /// The plugins whose settings the remote has.
  var plugins: [any Plugin.Type] { [cloud, sync, encryption].compactMap(\.self) }

  /// True if the remote needs a sign-in before the first pass.
  var needsLogin: Bool { plugins.contains(where: Self.needsLogin) }

  /// Returns true if a plugin's remote needs a sign-in before the first pass.
  static func needsLogin(_ plugin: any Plugin.Type) -> Bool {
    (plugin as? any SigningIn.Type).map { !$0.isOptional } ?? false
  }

  /// Returns the kinds of encryption that the remote supports.
  func encryptions(of registry: Registry) -> [any EncryptionBackend.Type] {
    registry.plugins(.encryption).compactMap { $0 as? any EncryptionBackend.Type }.filter {
      sync.ciphers.contains($0.id) || sync.usesStorage && $0.sealsStorages
    }
  }
}
