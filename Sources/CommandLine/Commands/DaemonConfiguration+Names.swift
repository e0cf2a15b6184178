import ArgumentParser
import SyncDaemon

/// Remotes of all stores on the command line.
extension [DaemonConfiguration] {
  /// Returns the store with a remote of this name; throws a usage error that suggests the nearest one if there is none.
  func store(ofRemote name: String) throws -> DaemonConfiguration {
    guard let store = first(where: { $0.remotes.contains { $0.name == name } }) else {
      throw ValidationError("\(UnknownRemote(name, among: flatMap { $0.remotes.map(\.name) }))")
    }
    return store
  }

  /// Returns the remote with this name; throws a usage error that suggests the nearest one if there is none.
  func remote(named name: String) throws -> RemoteConfiguration { try store(ofRemote: name).remote(named: name) }
}

/// Remotes on the command line.
extension DaemonConfiguration {
  /// Returns the remote with this name; throws a usage error that suggests the nearest one if there is none.
  func remote(named name: String) throws -> RemoteConfiguration {
    guard let remote = remotes.first(where: { $0.name == name }) else {
      throw ValidationError("\(UnknownRemote(name, among: remotes.map(\.name)))")
    }
    return remote
  }

  /// Returns the named remotes in the order of the settings; all if no names are given.
  func remotes(named names: [String]) throws -> [RemoteConfiguration] {
    let chosen = Set(try names.map { try remote(named: $0).name })
    return names.isEmpty ? remotes : remotes.filter { chosen.contains($0.name) }
  }
}
