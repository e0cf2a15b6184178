internal import SettingsRegistry

extension Account {
  /// Throws a conflict if the folder has an item of this name, in any spelling, except the one with the id `other`.
  func checkIsFree(_ name: String, in folder: String, except other: String? = nil) throws(APIError) {
    guard let item = item(name, in: folder), item.id != other else { return }
    // Real answers have both forms.
    let conflict = summary(of: item)
    throw APIError(
      409, "item_name_in_use", context: ["conflicts": item.isFolder ? .array([conflict]) : conflict])
  }

  func checkRoom(for count: Int) throws(APIError) {
    if let quota, usedBytes + count > quota { throw APIError(403, "storage_limit_exceeded") }
  }

  mutating func createFolder(_ name: String, in folder: String) throws(APIError) -> Item {
    try Names.check(name)
    _ = try self.folder(folder)
    try checkIsFree(name, in: folder)
    return create(.folder, name, in: folder, modified: nil, .created)
  }

  mutating func createLink(_ name: String, in folder: String) -> Item {
    create(.webLink, name, in: folder, modified: nil, .created)
  }

  mutating func createFile(
    _ name: String, in folder: String, _ bytes: [UInt8], modified: String?
  ) throws(APIError) -> Item {
    try Names.check(name)
    _ = try self.folder(folder)
    try checkRoom(for: bytes.count)
    try checkIsFree(name, in: folder)
    return create(.file(FileVersion(id: newID(), bytes)), name, in: folder, modified: modified, .uploaded)
  }

  private mutating func create(
    _ kind: Item.Kind, _ name: String, in folder: String, modified: String?, _ event: EventKind
  ) -> Item {
    let now = Self.now()
    let item = Item(
      id: newID(), kind: kind, name: name, parent: folder, modified: now, contentModified: modified ?? now)
    store(item, event)
    return item
  }

  /// Adds a version to a file.
  mutating func replace(_ item: Item, by bytes: [UInt8], modified: String?) throws(APIError) -> Item {
    try checkRoom(for: bytes.count)
    var item = item
    if let version = item.version { item.past.insert(version, at: 0) }
    item.kind = .file(FileVersion(id: newID(), bytes))
    item.changes += 1
    item.modified = Self.now()
    item.contentModified = modified ?? item.modified
    store(item, .uploaded)
    return item
  }

  /// Renames or moves an item.
  mutating func move(_ item: Item, to name: String, in folder: String) throws(APIError) -> Item {
    try Names.check(name)
    _ = try self.folder(folder)
    try checkIsFree(name, in: folder, except: item.id)
    var moved = item
    (moved.name, moved.parent) = (name, folder)
    moved.changes += 1
    moved.modified = Self.now()
    store(moved, folder == item.parent ? .renamed : .moved)
    return moved
  }

  mutating func removeFolder(_ id: String, isRecursive: Bool) throws(APIError) {
    let folder = try folder(id)
    guard isRecursive || items(in: id).isEmpty else { throw APIError(400, "folder_not_empty") }
    trash(folder)
  }
}
