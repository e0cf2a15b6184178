import OrgKit
import SyncDaemon
import SyncKit

extension HubRoute {
  /// The routes about former versions.
  static let history: [HubRoute] = [
    HubRoute(
      method: "GET", path: "/items/{id}/history", scope: .read,
      summary: "The versions of an entry, newest first, as `syncd log FILE::*Title -p` lists them"
    ) { hub, call in
      let reader = try await HubReader(hub.configuration, hub.files)
      guard let (file, place) = try reader.entry(call.values[0]) else {
        throw try hub.missing(call.values[0], reader)
      }
      let entry = PlacedEntry(path: file.path, content: Array(file.document.bytes), place: place)
      let versions = try await hub.reports.history(entry).map { $0.json(in: file, reader.items.settings) }
      return HubResponse(["versions": .array(versions)])
    }
  ]
}
