import OrgKit
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The user's Org variables: a JSON object in `org.json`, in the folder of the settings file.
enum OrgVariables {
  /// Returns the variables; Org's defaults if the file does not exist.
  static func read(beside settings: String) throws(SyncError) -> OrgSettings {
    let folder = settings.lastIndex(of: "/").map { String(settings[...$0]) } ?? ""
    let file = folder + "org.json"
    guard LocalFile.exists(file) else { return OrgSettings() }
    let bytes = try LocalFile.read(file)
    do { return try JSONDecoder().decode(OrgSettings.self, from: Data(bytes)) } catch {
      throw SyncError(.invalidSettings, "\(file) is not a JSON object of Org variables: \(error)")
    }
  }
}
