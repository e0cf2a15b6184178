package import OrgKit
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The user's Org variables: a JSON object in `org.json`, in the folder of the settings file.
package enum OrgVariables {
  /// Returns the variables; Org's defaults if the file does not exist.
  package static func read(beside settings: String) throws(SyncError) -> OrgSettings {
    let folder = settings.lastIndex(of: "/").map { String(settings[...$0]) } ?? ""
    let file = folder + "org.json"
    guard LocalFile.exists(file) else { return OrgSettings() }
    let bytes = try LocalFile.read(file)
    do { return try JSONDecoder().decode(OrgSettings.self, from: Data(bytes)) } catch {
      throw SyncError(.invalidSettings, "\(file) is not a JSON object of Org variables: \(reason(error, in: file))")
    }
  }

  /// What is wrong. The decoder does not say where JSON is invalid.
  private static func reason(_ error: any Error, in file: String) -> String {
    switch error {
    case DecodingError.dataCorrupted: "it is not valid JSON; `python3 -m json.tool \(file)` says where"
    case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty:
      "the value of \(context.codingPath.map(\.stringValue).joined(separator: ".")) is not a value of Org"
    case DecodingError.typeMismatch: "it is another JSON value"
    default: "\(error)"
    }
  }

  /// The variables for reading the store: without states of their own, those that a desktop published, otherwise those of the merger.
  package static func effective(_ configuration: DaemonConfiguration) async throws -> OrgSettings {
    try await effective(configuration) {
      try await Workspace.with(configuration, .readOnly) { try await $0.desktops() }
    }
  }

  /// The same with a function that returns the settings of the desktops behind the remotes.
  static func effective(
    _ configuration: DaemonConfiguration, _ desktops: () async throws -> [(remote: String, setup: DesktopSetup)]
  ) async throws -> OrgSettings {
    var settings = try read(beside: configuration.file)
    guard settings["org-todo-keywords"] == nil else { return settings }
    let desktops = try await desktops()
    let lines = desktops.first { !$0.setup.todo.isEmpty }?.setup.todo ?? ["TODO NEXT WAITING | DONE CANCELLED"]
    settings["org-todo-keywords"] = .list(
      lines.map { line in .list([.symbol("sequence")] + line.split(separator: " ").map { .text(String($0)) }) })
    return settings
  }
}
