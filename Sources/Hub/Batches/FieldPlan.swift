import OrgKit
import SyncDaemon

/// The verbs by which the fields of an entry get their new values, and the fields with other values than the device had.
struct FieldPlan {
  private(set) var verbs: [OrgVerb] = []
  private(set) var conflicts: [(field: String, old: String?, yours: String?, hubs: String?)] = []
  /// True if a text was merged with the present one.
  private(set) var isMerged = false

  init(_ patch: Patch, _ file: HubFile, _ place: Int) {
    let isPresent = patch.revision == file.revision(place)
    let item = file.items[place]
    // The state comes last: a repeater moves the dates that other fields set.
    for field in Patch.Field.allCases {
      guard let change = patch.fields[field] else { continue }
      plan(field, change, isPresent, Self.value(field, file, place))
    }
    let added = patch.addedTags.filter { !item.tags.contains($0) }
    let removed = patch.removedTags.filter(item.tags.contains)
    if !added.isEmpty || !removed.isEmpty { verbs.insert(.tags(.change(add: added, remove: removed)), at: 0) }
    for (key, change) in patch.properties.sorted(by: { $0.key < $1.key }) {
      let present = item[property: key]
      guard present != change.new else { continue }
      guard isPresent || Self.isSame(change.old, present) else {
        conflicts.append((field: "properties/\(key)", old: change.old ?? nil, yours: change.new, hubs: present))
        continue
      }
      verbs.insert(.property(change.new.map { .set(key, $0) } ?? .delete(key)), at: 0)
    }
  }

  private mutating func plan(_ field: Patch.Field, _ change: Patch.Change, _ isPresent: Bool, _ present: String?) {
    guard !Self.isEqual(field, present, change.new) else { return }
    if isPresent || Self.isSame(change.old, present) {
      verbs.append(Self.verb(field, change.new))
    } else if field == .body, let base = change.old, let merged = Self.merged(base, change.new, present) {
      isMerged = true
      if merged != present { verbs.append(.body(merged)) }
    } else {
      conflicts.append((field: field.rawValue, old: change.old ?? nil, yours: change.new, hubs: present))
    }
  }

  /// Returns true if the device had the present value.
  private static func isSame(_ old: String??, _ present: String?) -> Bool {
    guard let old else { return false }
    return (old ?? "") == (present ?? "")
  }

  private static func isEqual(_ field: Patch.Field, _ present: String?, _ new: String?) -> Bool {
    (present ?? "") == (new ?? "")
  }

  private static func merged(_ base: String?, _ ours: String?, _ theirs: String?) -> String? {
    func lines(_ text: String?) -> [UInt8] { text.map { $0.isEmpty ? [] : Array(($0 + "\n").utf8) } ?? [] }
    let merge = LineMerge(base: lines(base), ours: lines(ours), theirs: lines(theirs))
    guard let merged = merge.content else { return nil }
    let text = String(decoding: merged, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  private static func value(_ field: Patch.Field, _ file: HubFile, _ place: Int) -> String? {
    let item = file.items[place]
    return switch field {
    case .title: item.title
    case .priority: item.priority
    case .body: file.body(place)
    case .scheduled: item.scheduled?.timestamp?.description
    case .deadline: item.deadline?.timestamp?.description
    case .todo: item.keyword
    }
  }

  private static func verb(_ field: Patch.Field, _ new: String?) -> OrgVerb {
    switch field {
    case .title: .title(new ?? "")
    case .priority: .priority(.set(new ?? ""))
    case .body: .body(new ?? "")
    case .scheduled: .schedule(DateText.change(new))
    case .deadline: .deadline(DateText.change(new))
    case .todo: .todo(.state(new ?? ""))
    }
  }

  /// The verbs that give a new entry its fields.
  static func verbs(ofNew patch: Patch, body: String) -> [OrgVerb] {
    var verbs: [OrgVerb] = []
    for field in [Patch.Field.todo, .priority, .body, .scheduled, .deadline] {
      guard let new = patch.fields[field]?.new, !new.isEmpty else { continue }
      verbs.append(verb(field, field == .body && !body.isEmpty ? body + "\n" + new : new))
    }
    if !patch.addedTags.isEmpty { verbs.append(.tags(.change(add: patch.addedTags, remove: []))) }
    for (key, change) in patch.properties.sorted(by: { $0.key < $1.key }) {
      if let new = change.new { verbs.append(.property(.set(key, new))) }
    }
    return verbs
  }
}

/// A date of a patch: text as a user types it, or one of Org's timestamps.
enum DateText {
  /// The change to a date; nil removes it. A timestamp replaces repeater and warning, a typed date keeps those that it does not name.
  static func change(_ text: String?) -> OrgDateChange {
    guard let text, !text.isEmpty else { return .remove }
    let typed = TypedStamp(text)
    let empty = typed.isInBrackets ? "" : nil
    return .set(typed.date, repeater: typed.repeater ?? empty, warning: typed.warning ?? empty)
  }

  /// Returns why a text is not a date, as of a moment; nil if it is one. The user's variables may refuse more dates.
  static func mistake(in text: String, at now: OrgMoment) -> String? {
    let reader = OrgDateReader(
      now: now, zone: .local, settings: ["org-read-date-force-compatible-dates": OrgValue.none])
    do throws(Refusal) { _ = try reader.readStrictly(TypedStamp(text).date) } catch { return error.description }
    return nil
  }
}
