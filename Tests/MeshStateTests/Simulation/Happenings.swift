import SyncKit

/// A record of what happened to each file and of who knew it, kept independently of the state that devices exchange.
///
/// What a place knows is a set of events: it grows by the place's own events and by what really reached it. Where the record is in
/// doubt, it assumes that an event is not known; then the oracle demands less.
actor Happenings {
  struct Event: Sendable {
    var path: SyncPath
    var device: Int
    /// The events at the path that were known where it happened.
    var known: Set<Int>
    /// The lines that a person removed.
    var removed: Set<String> = []
    /// The lines that the file has after a person's action; nil if it was deleted, or if it is not a person's action.
    var lines: [String]?
    var isByPerson: Bool
    /// True if a backup has undone the action, or made its device forget it, before another device could know it.
    var isUndone = false
  }

  typealias Knowledge = [SyncPath: Set<Int>]

  private(set) var events: [Event] = []
  private var stores: [Knowledge]
  private var states: [Knowledge]

  init(deviceCount: Int) {
    stores = Array(repeating: [:], count: deviceCount)
    states = stores
  }

  /// A person changes or deletes a file.
  func recordAction(at path: SyncPath, on device: Int, removed: Set<String>, lines: [String]?) {
    let known = stores[device][path] ?? []
    stores[device][path, default: []].insert(events.count)
    events.append(
      Event(path: path, device: device, known: known, removed: removed, lines: lines, isByPerson: true))
  }

  /// A pass writes to a device's state.
  func recordCommit(at path: SyncPath, on device: Int) {
    let known = stores[device][path] ?? []
    states[device][path, default: []].formUnion(known.union([events.count]))
    events.append(Event(path: path, device: device, known: known, isByPerson: false))
  }

  /// A pass has brought a device's store and state to the same content.
  func recordAgreement(at path: SyncPath, on device: Int) {
    let known = (stores[device][path] ?? []).union(states[device][path] ?? [])
    (stores[device][path], states[device][path]) = (known, known)
  }

  func knowledge(of device: Int) -> (store: Knowledge, state: Knowledge) { (stores[device], states[device]) }

  /// A device has joined a state.
  func recordJoin(of knowledge: Knowledge, by device: Int, without waiting: Set<SyncPath>) {
    for (path, known) in knowledge where !waiting.contains(path) { states[device][path, default: []].formUnion(known) }
  }

  /// A device goes back to what it knew. If its files stay as they are, nothing tells any longer from which versions they began, and what
  /// was removed since.
  func restore(_ device: Int, to known: (store: Knowledge, state: Knowledge)) {
    let former = stores[device]
    (stores[device], states[device]) = known
    let elsewhere = (stores + states).reduce(into: Set<Int>()) { all, knowledge in
      for known in knowledge.values { all.formUnion(known) }
    }
    for id in former.values.joined() where !elsewhere.contains(id) { events[id].isUndone = true }
  }

  /// Returns the removals that every other event at their path knew or was known to: nothing justifies that their lines return.
  func finalRemovals() -> [Event] {
    let byPath = Dictionary(grouping: events.indices) { events[$0].path }
    return events.indices.filter { id in
      let removal = events[id]
      guard !removal.removed.isEmpty, !removal.isUndone else { return false }
      return byPath[removal.path]?.allSatisfy { other in
        other == id || removal.known.contains(other) || events[other].known.contains(id)
      } ?? true
    }.map { events[$0] }
  }

  /// Returns the files that only one person touched, as that person left them; nil for those that were deleted.
  func filesOfOneAuthor() -> [SyncPath: [String]?] {
    let byPath = Dictionary(grouping: events.filter(\.isByPerson), by: \.path)
    return byPath.filter { Set($0.value.map(\.device)).count == 1 }.mapValues { $0.last?.lines }
  }

  /// Returns the files that must exist at the end if nothing crashed and each was written by one device: the last version of each,
  /// unless a person who had seen it deleted it.
  func expectedFiles() -> [SyncPath: [String]] {
    var files: [SyncPath: [String]] = [:]
    for id in events.indices where events[id].isByPerson {
      if let lines = events[id].lines {
        let isDeleted = events.contains { other in
          other.path == events[id].path && other.isByPerson && other.lines == nil && other.known.contains(id)
        }
        files[events[id].path] = isDeleted ? nil : lines
      }
    }
    return files
  }
}
