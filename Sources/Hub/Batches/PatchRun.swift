import OrgKit
import SyncKit

/// Carries out the patches of a batch on files in memory, in order. One that fails changes nothing and stops no other.
struct PatchRun {
  /// The outcome of a patch.
  enum Outcome {
    /// The entry with this identifier has the values now. `isMerged` if a text had changed on both sides.
    case applied(String?, isMerged: Bool = false)
    /// The entry had the values already.
    case unchanged(String)
    /// Fields with other values than the device had.
    case conflict(String, [(field: String, old: String?, yours: String?, hubs: String?)])
    case gone
    case refused(Refusal)
    /// A file that the patch would change has unsaved changes in an editor.
    case locked(String, owner: String)
  }

  var files: OrgFileSet
  /// The outcomes so far.
  private(set) var outcomes: [Outcome] = []
  /// The effects of all verbs.
  private(set) var effects: [OrgEffect] = []
  /// The identifiers that patches of this batch have changed, with the new ones.
  private(set) var renamed: [String: String] = [:]

  private let context: OrgContext
  private let inbox: String
  /// The files with unsaved changes in an editor, with its owner.
  private let locked: [String: String]
  /// Returns the files that may have an entry with a property `ID`, and the newer identifier of an entry.
  private let known: @Sendable (String) -> (files: [String], newer: String?)

  init(
    _ files: OrgFileSet, _ context: OrgContext, inbox: String, locked: [String: String],
    known: @escaping @Sendable (String) -> (files: [String], newer: String?)
  ) {
    (self.files, self.context, self.inbox, self.locked, self.known) = (files, context, inbox, locked, known)
  }

  /// An entry of a file of the set.
  struct Found {
    var file: HubFile
    var place: Int

    var id: String { file.ids[place] }
    var item: OrgItem { file.items[place] }
    var orgPlace: OrgPlace { OrgPlace(file: file.path, entry: .line(item.line)) }
  }

  /// A reason not to carry out a patch.
  private enum Stop: Error {
    case outcome(Outcome)
  }

  /// Carries out the next patch.
  mutating func run(_ patch: Patch) {
    let (before, earlier, names) = (files, effects, renamed)
    do {
      let outcome = try carryOut(patch)
      if let path = files.changed.sorted().first(where: { locked[$0] != nil && files[$0] != before.now($0) }) {
        throw Stop.outcome(.locked(path, owner: locked[path] ?? ""))
      }
      outcomes.append(outcome)
    } catch {
      (files, effects, renamed) = (before, earlier, names)
      switch error {
      case Stop.outcome(let outcome): outcomes.append(outcome)
      case let refusal as Refusal: outcomes.append(.refused(refusal))
      default: outcomes.append(.refused(Refusal(.invalid, "\(error)")))
      }
    }
  }

  private mutating func carryOut(_ patch: Patch) throws -> Outcome {
    switch patch.operation {
    case .edit: return try edit(patch)
    case .add: return .applied(try add(patch))
    case .move: return try move(patch, isCopy: false)
    case .copy: return try move(patch, isCopy: true)
    case .archive: return try archive(patch)
    case .remove: return try remove(patch)
    case .check: return try check(patch)
    case .note:
      var context = context
      context.notes = [.text(patch.text)]
      return try perform(.note, on: patch, context)
    case .clockIn: return try perform(.clockIn(), on: patch, context)
    case .clockOut: return try applyToClock(.clockOut(), of: patch)
    case .clockCancel: return try applyToClock(.clockCancel, of: patch)
    }
  }

  // MARK: Finding

  /// Returns the present identifier of an entry that had another one before.
  func present(_ id: String) -> String {
    var id = id
    for _ in 0..<renamed.count {
      guard let next = renamed[id] else { break }
      id = next
    }
    return id
  }

  /// Returns the entry with an identifier; nil if it is in no file.
  mutating func entry(_ id: String) -> Found? {
    let present = present(id)
    if let found = entryNow(present) { return found }
    guard let newer = known(present).newer, newer != present else { return nil }
    return entryNow(self.present(newer))
  }

  private mutating func entryNow(_ id: String) -> Found? { entries(id).first }

  /// Returns the entries with an identifier, each in another file: the property `ID` may be copied.
  private mutating func entries(_ id: String) -> [Found] {
    let names = Set(files.names).union(files.changed).sorted()
    let candidates =
      ItemID.isMade(id)
      ? names.filter { id.hasPrefix(ItemID.prefix(ofFile: $0)) }
      : Self.first(known(id).files + files.changed.sorted(), of: names)
    return candidates.compactMap { name in
      guard let content = files[name] else { return nil }
      if !ItemID.isMade(id), content.firstRange(of: Array(id.utf8)) == nil { return nil }
      let file = HubFile(name, content, context.settings)
      return file.place(id: id).map { Found(file: file, place: $0) }
    }
  }

  /// Returns the names with some of them first.
  private static func first(_ some: [String], of names: [String]) -> [String] {
    some.filter(names.contains) + names.filter { !some.contains($0) }
  }

  private mutating func existing(_ id: String) throws -> Found {
    guard let found = entry(id) else { throw Stop.outcome(.gone) }
    try requireOne(found)
    return found
  }

  /// Returns the place that an identifier of an entry or a file names.
  private mutating func target(_ id: String) throws -> OrgPlace {
    if let name = files.names.first(where: { ItemID.file($0) == id }) { return OrgPlace(file: name, entry: .preamble) }
    guard let found = entry(id) else { throw Refusal(.notFound, "the target does not exist") }
    try requireOne(found)
    return found.orgPlace
  }

  /// Throws if other files have entries with the same identifier: the device could mean one of them.
  private mutating func requireOne(_ found: Found) throws(Refusal) {
    let all = entries(found.id)
    guard all.count > 1 else { return }
    let places = all.map { "\($0.file.path):\($0.item.line)" }.joined(separator: ", ")
    throw Refusal(.blocked, "\(all.count) entries have the ID \(found.id): \(places); remove it from the copies")
  }

  // MARK: Carrying out

  private mutating func apply(_ verb: OrgVerb, to place: OrgPlace, _ context: OrgContext) throws {
    effects += try OrgKit.apply(verb, to: place, in: &files, context)
  }

  /// Returns a file as it is now.
  private mutating func now(_ file: String) -> HubFile { HubFile(file, files[file] ?? [], context.settings) }

  /// Returns the identifier of the entry at a line of a file.
  private mutating func entry(atLine line: Int, of file: String) throws -> String {
    let now = now(file)
    guard let place = now.place(line: line) else { throw Refusal(.notFound, "the entry is not where it was put") }
    return now.ids[place]
  }

  /// Returns the identifier of an entry that a verb changed in its place. Entries that have another identifier now, such as its
  /// children after a change of its title, are recorded.
  private mutating func changed(_ found: Found) throws -> String {
    let now = now(found.file.path)
    if now.ids.count == found.file.ids.count { rename(found.file.ids[...], to: now.ids[...]) }
    return try entry(atLine: found.item.line, of: found.file.path)
  }

  /// Records that entries have other identifiers, in the same order.
  private mutating func rename(_ old: ArraySlice<String>, to new: ArraySlice<String>) {
    for (old, new) in zip(old, new) where old != new && ItemID.isMade(old) { renamed[old] = new }
  }

  private mutating func perform(_ verb: OrgVerb, on patch: Patch, _ context: OrgContext) throws -> Outcome {
    let found = try existing(patch.id)
    try apply(verb, to: found.orgPlace, context)
    return .applied(try changed(found))
  }

  /// Stops the running clock, which must be that of the entry if the patch names one.
  private mutating func applyToClock(_ verb: OrgVerb, of patch: Patch) throws -> Outcome {
    let found = patch.id.isEmpty ? nil : try existing(patch.id)
    if let found, !found.item.log.contains(where: \.isRunningClock) {
      throw Refusal(.notFound, "no clock runs on this entry; it was stopped elsewhere")
    }
    try apply(verb, to: OrgPlace(file: files.names.first ?? "", entry: .preamble), context)
    return .applied(found?.id)
  }

  private mutating func archive(_ patch: Patch) throws -> Outcome {
    let found = try existing(patch.id)
    let count = effects.count
    try apply(.archive(.subtree), to: found.orgPlace, context)
    return .applied(try newPlace(since: count, of: found))
  }

  private mutating func move(_ patch: Patch, isCopy: Bool) throws -> Outcome {
    let found = try existing(patch.id)
    let goal = try target(patch.target ?? "")
    let count = effects.count
    try apply(.refile(OrgRefile(to: .place(goal), isCopy: isCopy)), to: found.orgPlace, context)
    return .applied(try newPlace(since: count, of: isCopy ? nil : found))
  }

  /// Returns the identifier of the entry that the last verb put somewhere.
  ///
  /// - Parameter found: the entry as it was, if it was moved with everything below it.
  private mutating func newPlace(since count: Int, of found: Found?) throws -> String? {
    for case .entry(let file, let line) in effects[count...].reversed() {
      let now = now(file)
      guard let place = now.place(line: line) else { break }
      if let found {
        let size = found.file.document.entries[found.place].subtreeCount
        rename(found.file.ids[found.place..<found.place + size], to: now.ids[place...].prefix(size))
      }
      return now.ids[place]
    }
    return nil
  }

  private mutating func remove(_ patch: Patch) throws -> Outcome {
    let found = try existing(patch.id)
    let present = found.file.subtreeRevision(found.place)
    guard patch.revision == present else {
      throw Stop.outcome(
        .conflict(found.id, [(field: "revision", old: patch.revision, yours: nil, hubs: present)]))
    }
    try apply(.delete, to: found.orgPlace, context)
    return .applied(nil)
  }

  private mutating func check(_ patch: Patch) throws -> Outcome {
    let found = try existing(patch.id)
    // As the verb chooses: the whole text before a beginning of one.
    let boxes = Checkbox.all(in: found.file.body(found.place)).filter { $0.text.hasPrefix(patch.text) }
    guard let box = boxes.first(where: { $0.text == patch.text }) ?? boxes.first else {
      throw Refusal(.notFound, "the entry has no checkbox whose text begins with \(patch.text)")
    }
    guard box.isOn != patch.isOn else { return .unchanged(found.id) }
    var place = found.orgPlace
    place.item = patch.text
    try apply(.checkbox(.toggle), to: place, context)
    return .applied(try changed(found))
  }

  // MARK: Editing

  private mutating func edit(_ patch: Patch) throws -> Outcome {
    let found = try existing(patch.id)
    let plan = FieldPlan(patch, found.file, found.place)
    guard plan.conflicts.isEmpty else { throw Stop.outcome(.conflict(found.id, plan.conflicts)) }
    guard !plan.verbs.isEmpty else { return .unchanged(found.id) }
    for verb in plan.verbs { try apply(verb, to: found.orgPlace, context) }
    return .applied(try changed(found), isMerged: plan.isMerged)
  }

  // MARK: Adding

  private mutating func add(_ patch: Patch) throws -> String? {
    let count = effects.count
    if let template = patch.template {
      var capture = OrgCapture(key: template, text: patch.text)
      if let link = patch.link { capture.link = (link.url, link.title) }
      var context = context
      context.answers = patch.answers
      try apply(.capture(capture), to: OrgPlace(file: "", entry: .preamble), context)
      return try newPlace(since: count, of: nil)
    }
    let goal = try patch.target.map { try target($0) }
    let file = goal?.file ?? inbox
    try apply(
      .capture(OrgCapture(key: Self.key, text: patch.fields[.title]?.new ?? "")),
      to: OrgPlace(file: "", entry: .preamble), capturing(into: file, isInbox: goal == nil))
    var place = try addedPlace(since: count)
    if let goal, goal.entry != .preamble {
      let moved = effects.count
      try apply(.refile(OrgRefile(to: .place(goal))), to: place, context)
      place = try addedPlace(since: moved)
    }
    for verb in FieldPlan.verbs(ofNew: patch, body: body(at: place)) { try apply(verb, to: place, context) }
    guard case .line(let line) = place.entry else { return nil }
    return try entry(atLine: line, of: place.file)
  }

  private func addedPlace(since count: Int) throws -> OrgPlace {
    for case .entry(let file, let line) in effects[count...].reversed() {
      return OrgPlace(file: file, entry: .line(line))
    }
    throw Refusal(.notFound, "the entry is not where it was put")
  }

  private mutating func body(at place: OrgPlace) -> String {
    guard case .line(let line) = place.entry else { return "" }
    let file = now(place.file)
    return file.place(line: line).map(file.body) ?? ""
  }

  /// The key of the template by which entries without a template are added.
  private static let key = "hub"

  /// The context with a template for a file: the entry at the end, as `syncd capture` writes it in the inbox.
  private func capturing(into file: String, isInbox: Bool) -> OrgContext {
    var context = context
    context.settings["org-capture-templates"] = .list([
      .list([
        .text(Self.key), .text(Self.key), .symbol("entry"), .list([.symbol("file"), .text(file)]),
        .text(isInbox ? "* %?\n%U" : "* %?"),
      ])
    ])
    return context
  }
}

extension OrgFileSet {
  /// The content of a file without changing this set.
  fileprivate func now(_ path: String) -> [UInt8]? {
    var copy = self
    return copy[path]
  }
}
