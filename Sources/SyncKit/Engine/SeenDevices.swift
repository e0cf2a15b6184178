/// The devices that have written to a remote, as the remote names them.
///
/// They are in the remote's journal, so that they can be listed without reaching the remote.
package struct SeenDevices: Sendable {
  private static let prefix = "engine.device."
  /// The number of devices that are recorded; a remote with more is not one person's.
  private static let limit = 100
  private let journal: any Journal

  /// - Parameter journal: the remote's journal.
  package init(in journal: any Journal) { self.journal = journal }

  /// The names by device id; by name where the remote records no ids.
  package func names() async throws(SyncError) -> [String: String] {
    let records = try await journal.records().filter { $0.key.hasPrefix(Self.prefix) }
    return Dictionary(
      records.map { (String($0.key.dropFirst(Self.prefix.count)), String(decoding: $0.value, as: UTF8.self)) },
      uniquingKeysWith: { $1 })
  }

  /// Records devices. A device that is known by another name gets the new one.
  func add(_ devices: [String: String]) async throws(SyncError) {
    guard !devices.isEmpty else { return }
    let known = try await names()
    let room = max(0, Self.limit - known.count)
    let renamed = devices.filter { known[$0.key] != nil && known[$0.key] != $0.value }
    let new = devices.filter { known[$0.key] == nil }.sorted { $0.key < $1.key }.prefix(room)
    let records = renamed.map { ($0.key, $0.value) } + new.map { ($0.key, $0.value) }
    guard !records.isEmpty else { return }
    try await journal.write(
      Dictionary(records.map { (Self.prefix + $0.0, Array($0.1.utf8)) }, uniquingKeysWith: { $1 }))
  }
}
