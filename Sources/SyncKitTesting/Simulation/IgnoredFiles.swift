import SyncKit

/// The pattern of files that each device ignores.
actor IgnoredFiles {
  private var patterns: [Int: String] = [:]

  func set(_ pattern: String?, of device: Int) { patterns[device] = pattern }

  func clear() { patterns = [:] }

  func filter(of device: Int) -> PathFilter { PathFilter(ignore: patterns[device].map { [$0] } ?? []) }
}
