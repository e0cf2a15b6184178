import SyncDaemon
import SyncKit

/// What a remote can be, as a person chooses it: one way to sync, and one place where that needs one.
struct RemoteKind {
  /// `webdav` for plain files on a WebDAV server, `git` for what needs no place, `org-mobile/webdav` for all the rest.
  let id: String
  let summary: String
  let sync: any SyncBackend.Type
  let cloud: (any CloudStorage.Type)?

  /// The way to sync that says nothing of itself, because what counts is where the files are.
  private static let plainFiles = "plain-files"

  /// All that the plugins can be put together to.
  static func all(of registry: Registry) -> [RemoteKind] {
    let clouds = registry.plugins(.cloud).compactMap { $0 as? any CloudStorage.Type }
    let syncs = registry.plugins(.sync).compactMap { $0 as? any SyncBackend.Type }
    // A place that has its own way to sync needs no second name for it.
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
    return plain + placeless + others
  }

  /// The plugins whose settings it has.
  var plugins: [any Plugin.Type] { [cloud, sync].compactMap(\.self) }

  /// True if the remote needs a sign-in before the first pass.
  var needsLogin: Bool { plugins.contains { $0 is any SigningIn.Type } }
}
